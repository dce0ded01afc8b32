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
    v128.const i64x2 0x0 0x0
    f64x2.extract_lane 0
    local.set $0
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $body
        f64.load
        local.set $body.x
        block
          local.get $count
          local.get $1
          f64.add
          local.set $count
          local.get $body.x
          local.get $1
          f64.add
          local.set $body.x
          local.get $body.x
          local.get $0
          f64.lt
          if
            br 4
          end
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
