  local.get $body
  local.get $next
  i32.const 64
  i32.mul
  i32.add
  local.set $body
  local.get $dt
  f64.const 2
  f64.mul
  local.set $once
  block
    local.get $rows
    i32.const 4
    i32.sub
    local.set $last
    block
      loop
        local.get $next
        local.get $last
        i32.gt_s
        br_if 1
        local.get $body
        i32.load8_u offset=207
        drop
        local.get $body
        f64.load offset=200
        local.set $body.y
        local.get $body
        f64.load offset=192
        local.set $body.x
        block
          local.get $body.x
          local.get $body.y
          local.get $once
          f64.mul
          f64.add
          local.set $body.x
        end
        local.get $body
        local.get $body.x
        f64.store offset=192
        local.get $body
        f64.load offset=136
        local.set $body.y
        local.get $body
        f64.load offset=128
        local.set $body.x
        block
          local.get $body.x
          local.get $body.y
          local.get $once
          f64.mul
          f64.add
          local.set $body.x
        end
        local.get $body
        local.get $body.x
        f64.store offset=128
        local.get $body
        f64.load offset=72
        local.set $body.y
        local.get $body
        f64.load offset=64
        local.set $body.x
        block
          local.get $body.x
          local.get $body.y
          local.get $once
          f64.mul
          f64.add
          local.set $body.x
        end
        local.get $body
        local.get $body.x
        f64.store offset=64
        local.get $body
        f64.load offset=8
        local.set $body.y
        local.get $body
        f64.load
        local.set $body.x
        block
          local.get $body.x
          local.get $body.y
          local.get $once
          f64.mul
          f64.add
          local.set $body.x
        end
        local.get $body
        local.get $body.x
        f64.store
        local.get $body
        i32.const 256
        i32.add
        local.set $body
        local.get $next
        i32.const 4
        i32.add
        local.set $next
        br 0
      end
    end
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $body
        f64.load offset=8
        local.set $body.y
        local.get $body
        f64.load
        local.set $body.x
        block
          local.get $body.x
          local.get $body.y
          local.get $once
          f64.mul
          f64.add
          local.set $body.x
        end
        local.get $body
        local.get $body.x
        f64.store
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
end
