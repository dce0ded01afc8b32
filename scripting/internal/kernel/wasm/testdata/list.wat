  local.get $count~given
  local.set $count
  local.get $body
  local.get $next
  i32.const 64
  i32.mul
  i32.add
  local.set $body
  block
    v128.const i64x2 0x3ff0000000000000 0x3ff0000000000000
    f64x2.extract_lane 0
    local.set $1
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $body
        i32.load8_u offset=24
        f64.convert_i32_s
        local.set $body.n
        local.get $body
        f64.load
        local.set $body.x
        block
          local.get $count
          local.get $1
          f64.add
          local.set $count
          local.get $body.n
          i32.trunc_sat_f64_u
          i32.const 1
          i32.sub
          local.tee $item
          i32.const 0
          local.get $item
          i32.const 5
          i32.lt_u
          select
          i32.const 8
          i32.mul
          f64.load offset=24536
          local.set $body.x
        end
        local.get $body
        local.get $body.x
        f64.store
        local.get $count
        local.set $count~given
        local.get $body
        i32.const 64
        i32.add
        local.set $body
        local.get $next
        i32.const 1
        i32.add
        local.set $next
        br 0
      end
    end
  end
  local.get $next
  local.get $fuel
  local.get $count~given
end
