  local.get $spot
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $spot
  local.get $drift
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $drift
  local.get $dt
  f32.demote_f64
  local.set $once
  block
    local.get $rows
    i32.const 16
    i32.sub
    local.set $last
    block
      local.get $next
      local.get $last
      i32.gt_s
      br_if 0
      v128.const i64x2 0x0 0x0
      local.set $bits0
      v128.const i64x2 0x7fffffff7fffffff 0x7fffffff7fffffff
      local.set $bits7fffffff7fffffff
      local.get $once
      f32x4.splat
      local.set $v4
      f32.const 10
      f32x4.splat
      local.set $v8
      block
        loop
          local.get $spot
          i32.load8_u offset=123
          drop
          local.get $drift
          i32.load8_u offset=123
          drop
          local.get $spot
          v128.load32_zero offset=96
          local.get $spot
          f32.load offset=104
          f32x4.replace_lane 1
          local.get $spot
          f32.load offset=112
          f32x4.replace_lane 2
          local.get $spot
          f32.load offset=120
          f32x4.replace_lane 3
          local.set $v1
          local.get $drift
          v128.load32_zero offset=96
          local.get $drift
          f32.load offset=104
          f32x4.replace_lane 1
          local.get $drift
          f32.load offset=112
          f32x4.replace_lane 2
          local.get $drift
          f32.load offset=120
          f32x4.replace_lane 3
          local.set $v2
          local.get $v1
          local.get $v2
          local.get $bits7fffffff7fffffff
          v128.and
          local.get $v4
          f32x4.mul
          local.get $bits0
          f32x4.add
          f32x4.add
          local.get $v8
          local.get $v1
          f32x4.lt
          v128.andnot
          local.set $v10
          local.get $spot
          local.get $v10
          f32x4.extract_lane 0
          f32.store offset=96
          local.get $spot
          local.get $v10
          f32x4.extract_lane 1
          f32.store offset=104
          local.get $spot
          local.get $v10
          f32x4.extract_lane 2
          f32.store offset=112
          local.get $spot
          local.get $v10
          f32x4.extract_lane 3
          f32.store offset=120
          local.get $spot
          v128.load32_zero offset=64
          local.get $spot
          f32.load offset=72
          f32x4.replace_lane 1
          local.get $spot
          f32.load offset=80
          f32x4.replace_lane 2
          local.get $spot
          f32.load offset=88
          f32x4.replace_lane 3
          local.set $v1
          local.get $drift
          v128.load32_zero offset=64
          local.get $drift
          f32.load offset=72
          f32x4.replace_lane 1
          local.get $drift
          f32.load offset=80
          f32x4.replace_lane 2
          local.get $drift
          f32.load offset=88
          f32x4.replace_lane 3
          local.set $v2
          local.get $v1
          local.get $v2
          local.get $bits7fffffff7fffffff
          v128.and
          local.get $v4
          f32x4.mul
          local.get $bits0
          f32x4.add
          f32x4.add
          local.get $v8
          local.get $v1
          f32x4.lt
          v128.andnot
          local.set $v10
          local.get $spot
          local.get $v10
          f32x4.extract_lane 0
          f32.store offset=64
          local.get $spot
          local.get $v10
          f32x4.extract_lane 1
          f32.store offset=72
          local.get $spot
          local.get $v10
          f32x4.extract_lane 2
          f32.store offset=80
          local.get $spot
          local.get $v10
          f32x4.extract_lane 3
          f32.store offset=88
          local.get $spot
          v128.load32_zero offset=32
          local.get $spot
          f32.load offset=40
          f32x4.replace_lane 1
          local.get $spot
          f32.load offset=48
          f32x4.replace_lane 2
          local.get $spot
          f32.load offset=56
          f32x4.replace_lane 3
          local.set $v1
          local.get $drift
          v128.load32_zero offset=32
          local.get $drift
          f32.load offset=40
          f32x4.replace_lane 1
          local.get $drift
          f32.load offset=48
          f32x4.replace_lane 2
          local.get $drift
          f32.load offset=56
          f32x4.replace_lane 3
          local.set $v2
          local.get $v1
          local.get $v2
          local.get $bits7fffffff7fffffff
          v128.and
          local.get $v4
          f32x4.mul
          local.get $bits0
          f32x4.add
          f32x4.add
          local.get $v8
          local.get $v1
          f32x4.lt
          v128.andnot
          local.set $v10
          local.get $spot
          local.get $v10
          f32x4.extract_lane 0
          f32.store offset=32
          local.get $spot
          local.get $v10
          f32x4.extract_lane 1
          f32.store offset=40
          local.get $spot
          local.get $v10
          f32x4.extract_lane 2
          f32.store offset=48
          local.get $spot
          local.get $v10
          f32x4.extract_lane 3
          f32.store offset=56
          local.get $spot
          v128.load32_zero
          local.get $spot
          f32.load offset=8
          f32x4.replace_lane 1
          local.get $spot
          f32.load offset=16
          f32x4.replace_lane 2
          local.get $spot
          f32.load offset=24
          f32x4.replace_lane 3
          local.set $v1
          local.get $drift
          v128.load32_zero
          local.get $drift
          f32.load offset=8
          f32x4.replace_lane 1
          local.get $drift
          f32.load offset=16
          f32x4.replace_lane 2
          local.get $drift
          f32.load offset=24
          f32x4.replace_lane 3
          local.set $v2
          local.get $v1
          local.get $v2
          local.get $bits7fffffff7fffffff
          v128.and
          local.get $v4
          f32x4.mul
          local.get $bits0
          f32x4.add
          f32x4.add
          local.get $v8
          local.get $v1
          f32x4.lt
          v128.andnot
          local.set $v10
          local.get $spot
          local.get $v10
          f32x4.extract_lane 0
          f32.store
          local.get $spot
          local.get $v10
          f32x4.extract_lane 1
          f32.store offset=8
          local.get $spot
          local.get $v10
          f32x4.extract_lane 2
          f32.store offset=16
          local.get $spot
          local.get $v10
          f32x4.extract_lane 3
          f32.store offset=24
          local.get $spot
          i32.const 128
          i32.add
          local.set $spot
          local.get $drift
          i32.const 128
          i32.add
          local.set $drift
          local.get $next
          i32.const 16
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
        local.get $spot
        f32.load
        local.set $spot.x
        local.get $drift
        f32.load
        local.set $drift.x
        block
          f32.const 10
          local.get $spot.x
          f32.lt
          if
            f32.const 0
            local.set $spot.x
            br 1
          end
          local.get $spot.x
          local.get $drift.x
          f32.abs
          local.get $once
          f32.mul
          f32.const 0
          f32.add
          f32.add
          local.set $spot.x
        end
        local.get $spot
        local.get $spot.x
        f32.store
        local.get $spot
        i32.const 8
        i32.add
        local.set $spot
        local.get $drift
        i32.const 8
        i32.add
        local.set $drift
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
