  local.get $body
  local.get $next
  i32.const 40
  i32.mul
  i32.add
  local.set $body
  local.get $motion
  local.get $next
  i32.const 16
  i32.mul
  i32.add
  local.set $motion
  block
    block
      loop
        local.get $rows
        local.get $next
        i32.sub
        i32.const 4
        i32.lt_u
        br_if 1
        local.get $body
        f64.load offset=128
        local.set $body.y
        local.get $body
        f64.load offset=120
        local.set $body.x
        local.get $motion
        f64.load offset=56
        local.set $motion.y
        local.get $motion
        f64.load offset=48
        local.set $motion.x
        block
          local.get $body.x
          local.get $motion.x
          local.get $dt
          f64.mul
          f64.const 0
          f64.add
          f64.add
          local.set $body.x
          local.get $body.y
          local.get $motion.y
          local.get $dt
          f64.mul
          f64.const 0
          f64.add
          f64.add
          local.set $body.y
        end
        local.get $body
        local.get $body.y
        f64.store offset=128
        local.get $body
        local.get $body.x
        f64.store offset=120
        local.get $body
        f64.load offset=88
        local.set $body.y
        local.get $body
        f64.load offset=80
        local.set $body.x
        local.get $motion
        f64.load offset=40
        local.set $motion.y
        local.get $motion
        f64.load offset=32
        local.set $motion.x
        block
          local.get $body.x
          local.get $motion.x
          local.get $dt
          f64.mul
          f64.const 0
          f64.add
          f64.add
          local.set $body.x
          local.get $body.y
          local.get $motion.y
          local.get $dt
          f64.mul
          f64.const 0
          f64.add
          f64.add
          local.set $body.y
        end
        local.get $body
        local.get $body.y
        f64.store offset=88
        local.get $body
        local.get $body.x
        f64.store offset=80
        local.get $body
        f64.load offset=48
        local.set $body.y
        local.get $body
        f64.load offset=40
        local.set $body.x
        local.get $motion
        f64.load offset=24
        local.set $motion.y
        local.get $motion
        f64.load offset=16
        local.set $motion.x
        block
          local.get $body.x
          local.get $motion.x
          local.get $dt
          f64.mul
          f64.const 0
          f64.add
          f64.add
          local.set $body.x
          local.get $body.y
          local.get $motion.y
          local.get $dt
          f64.mul
          f64.const 0
          f64.add
          f64.add
          local.set $body.y
        end
        local.get $body
        local.get $body.y
        f64.store offset=48
        local.get $body
        local.get $body.x
        f64.store offset=40
        local.get $body
        f64.load offset=8
        local.set $body.y
        local.get $body
        f64.load
        local.set $body.x
        local.get $motion
        f64.load offset=8
        local.set $motion.y
        local.get $motion
        f64.load
        local.set $motion.x
        block
          local.get $body.x
          local.get $motion.x
          local.get $dt
          f64.mul
          f64.const 0
          f64.add
          f64.add
          local.set $body.x
          local.get $body.y
          local.get $motion.y
          local.get $dt
          f64.mul
          f64.const 0
          f64.add
          f64.add
          local.set $body.y
        end
        local.get $body
        local.get $body.y
        f64.store offset=8
        local.get $body
        local.get $body.x
        f64.store
        local.get $body
        i32.const 160
        i32.add
        local.set $body
        local.get $motion
        i32.const 64
        i32.add
        local.set $motion
        local.get $next
        i32.const 4
        i32.add
        local.set $next
        br 0
      end
    end
    local.get $next
    local.get $rows
    i32.ge_u
    br_if 0
    loop
      local.get $body
      f64.load offset=8
      local.set $body.y
      local.get $body
      f64.load
      local.set $body.x
      local.get $motion
      f64.load offset=8
      local.set $motion.y
      local.get $motion
      f64.load
      local.set $motion.x
      block
        local.get $body.x
        local.get $motion.x
        local.get $dt
        f64.mul
        f64.const 0
        f64.add
        f64.add
        local.set $body.x
        local.get $body.y
        local.get $motion.y
        local.get $dt
        f64.mul
        f64.const 0
        f64.add
        f64.add
        local.set $body.y
      end
      local.get $body
      local.get $body.y
      f64.store offset=8
      local.get $body
      local.get $body.x
      f64.store
      local.get $body
      i32.const 40
      i32.add
      local.set $body
      local.get $motion
      i32.const 16
      i32.add
      local.set $motion
      local.get $next
      i32.const 1
      i32.add
      local.set $next
      local.get $next
      local.get $rows
      i32.lt_u
      br_if 0
    end
  end
  local.get $next
  local.get $fuel
end
