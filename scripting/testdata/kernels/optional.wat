  local.get $Wind
  i32.const -1
  i32.ne
  local.set $has Wind
  local.get $Wind
  local.get $next
  i32.const 4
  i32.mul
  i32.add
  local.set $Wind
  local.get $Place
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $Place
  block
    local.get $rows
    i32.const 16
    i32.sub
    local.set $last
    block
      local.get $has Wind
      i32.eqz
      br_if 0
      local.get $next
      local.get $last
      i32.gt_s
      br_if 0
      v128.const i64x2 0x0 0x0
      local.set $bits0
      local.get $dt
      f64x2.splat
      local.set $v2
      block
        loop
          local.get $Place
          i32.load8_u offset=127
          drop
          local.get $Wind
          v128.load64_zero offset=56
          f64x2.promote_low_f32x4
          local.set $v1
          local.get $Place
          v128.load offset=112
          local.set $v0
          local.get $Place
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          v128.store offset=112
          local.get $Wind
          v128.load64_zero offset=48
          f64x2.promote_low_f32x4
          local.set $v1
          local.get $Place
          v128.load offset=96
          local.set $v0
          local.get $Place
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          v128.store offset=96
          local.get $Wind
          v128.load64_zero offset=40
          f64x2.promote_low_f32x4
          local.set $v1
          local.get $Place
          v128.load offset=80
          local.set $v0
          local.get $Place
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          v128.store offset=80
          local.get $Wind
          v128.load64_zero offset=32
          f64x2.promote_low_f32x4
          local.set $v1
          local.get $Place
          v128.load offset=64
          local.set $v0
          local.get $Place
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          v128.store offset=64
          local.get $Wind
          v128.load64_zero offset=24
          f64x2.promote_low_f32x4
          local.set $v1
          local.get $Place
          v128.load offset=48
          local.set $v0
          local.get $Place
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          v128.store offset=48
          local.get $Wind
          v128.load64_zero offset=16
          f64x2.promote_low_f32x4
          local.set $v1
          local.get $Place
          v128.load offset=32
          local.set $v0
          local.get $Place
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          v128.store offset=32
          local.get $Wind
          v128.load64_zero offset=8
          f64x2.promote_low_f32x4
          local.set $v1
          local.get $Place
          v128.load offset=16
          local.set $v0
          local.get $Place
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          v128.store offset=16
          local.get $Wind
          v128.load64_zero
          f64x2.promote_low_f32x4
          local.set $v1
          local.get $Place
          v128.load
          local.set $v0
          local.get $Place
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          v128.store
          local.get $Wind
          i32.const 64
          i32.add
          local.set $Wind
          local.get $Place
          i32.const 128
          i32.add
          local.set $Place
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
    v128.const i64x2 0x0 0x0
    f64x2.extract_lane 0
    local.set $0
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $Place
        f64.load
        local.set $Place.x
        block
          local.get $has Wind
          if
            local.get $has Wind
            if (result f64)
              local.get $Wind
              f32.load
              f64.promote_f32
            else
              f64.const 0
            end
            local.set $Wind.x
            local.get $Place.x
            local.set $value
            local.get $value
            local.get $Wind.x
            local.get $dt
            f64.mul
            local.get $0
            f64.add
            f64.add
            local.set $Place.x
          end
        end
        local.get $Place
        local.get $Place.x
        f64.store
        local.get $Wind
        i32.const 4
        i32.add
        local.set $Wind
        local.get $Place
        i32.const 8
        i32.add
        local.set $Place
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
