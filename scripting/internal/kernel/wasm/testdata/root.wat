  local.get $body
  local.get $next
  i32.const 64
  i32.mul
  i32.add
  local.set $body
  block
    local.get $rows
    i32.const 2
    i32.sub
    local.set $last
    block
      local.get $next
      local.get $last
      i32.gt_s
      br_if 0
      f64.const 0.5
      f64x2.splat
      local.set $v1
      f64.const 3
      f64x2.splat
      local.set $v3
      block
        loop
          local.get $body
          i32.load8_u offset=79
          drop
          local.get $body
          v128.load64_zero offset=8
          local.get $body
          f64.load offset=72
          f64x2.replace_lane 1
          local.set $v0
          local.get $v0
          local.get $v1
          call $pow.two
          local.get $v0
          local.get $v3
          call $ordinaryPow.two
          f64x2.add
          local.set $v5
          local.get $body
          local.get $v5
          f64x2.extract_lane 0
          f64.store
          local.get $body
          local.get $v5
          f64x2.extract_lane 1
          f64.store offset=64
          local.get $body
          i32.const 128
          i32.add
          local.set $body
          local.get $next
          i32.const 2
          i32.add
          local.set $next
          local.get $next
          local.get $last
          i32.gt_s
          br_if 1
          br 0
        end
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
          local.get $body.y
          f64.const 0.5
          call $pow
          local.get $body.y
          f64.const 3
          call $ordinaryPow
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
