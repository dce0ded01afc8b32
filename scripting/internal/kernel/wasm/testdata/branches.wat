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
    v128.const i64x2 0x4008000000000000 0x4008000000000000
    f64x2.extract_lane 0
    local.set $3
    v128.const i64x2 0x4014000000000000 0x4014000000000000
    f64x2.extract_lane 0
    local.set $5
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $body
        i32.load8_u offset=36
        i32.const 0
        i32.ne
        local.set $body.ok
        local.get $body
        f64.load
        local.set $body.x
        block
          local.get $count
          local.get $1
          f64.add
          local.set $count
          local.get $1
          local.get $body.x
          f64.lt
          if
            local.get $body.ok
            if
              f64.const 1
              local.set $body.x
            end
          end
          local.get $body.ok
          if
            local.get $body.x
            local.get $3
            f64.le
            local.get $body.x
            local.get $5
            f64.eq
            i32.or
            local.set $body.ok
          else
            f64.const 2
            local.set $body.x
          end
          block
            local.get $body.ok
            if
              br 1
            end
            br 1
          end
          local.get $body.x
          local.get $1
          f64.add
          local.set $body.x
        end
        local.get $body
        local.get $body.ok
        i32.store8 offset=36
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
