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
  block
    local.get $rows
    i32.const 14
    i32.sub
    local.set $last
    block
      local.get $next
      local.get $last
      i32.gt_s
      br_if 0
      v128.const i64x2 0x0 0x0
      local.set $bits0
      v128.const i64x2 0x8000000080000000 0x8000000080000000
      local.set $bits8000000080000000
      f64.const 300
      f64x2.splat
      local.set $v4
      local.get $dt
      f64x2.splat
      local.set $v7
      block
        loop
          local.get $spot
          i32.load8_u offset=111
          drop
          local.get $drift
          i32.load8_u offset=111
          drop
          local.get $spot
          v128.load offset=96
          local.set $v1
          local.get $spot
          v128.load64_zero offset=104
          f64x2.promote_low_f32x4
          local.set $v11
          local.get $spot
          v128.load64_zero offset=96
          f64x2.promote_low_f32x4
          local.set $v5
          local.get $drift
          v128.load offset=96
          local.set $v2
          local.get $drift
          v128.load64_zero offset=104
          f64x2.promote_low_f32x4
          local.set $v12
          local.get $drift
          v128.load64_zero offset=96
          f64x2.promote_low_f32x4
          local.set $v6
          local.get $v2
          local.get $v4
          local.get $v5
          local.get $v6
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          local.get $v4
          local.get $v11
          local.get $v12
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          i16x8.narrow_i32x4_s
          local.get $bits8000000080000000
          v128.and
          v128.xor
          local.set $v17
          local.get $drift
          local.get $v17
          v128.store offset=96
          local.get $spot
          local.get $v1
          local.get $v17
          f32x4.add
          local.get $bits0
          f32x4.add
          local.get $bits0
          f32x4.pmax
          v128.store offset=96
          local.get $spot
          v128.load offset=80
          local.set $v1
          local.get $spot
          v128.load64_zero offset=88
          f64x2.promote_low_f32x4
          local.set $v11
          local.get $spot
          v128.load64_zero offset=80
          f64x2.promote_low_f32x4
          local.set $v5
          local.get $drift
          v128.load offset=80
          local.set $v2
          local.get $drift
          v128.load64_zero offset=88
          f64x2.promote_low_f32x4
          local.set $v12
          local.get $drift
          v128.load64_zero offset=80
          f64x2.promote_low_f32x4
          local.set $v6
          local.get $v2
          local.get $v4
          local.get $v5
          local.get $v6
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          local.get $v4
          local.get $v11
          local.get $v12
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          i16x8.narrow_i32x4_s
          local.get $bits8000000080000000
          v128.and
          v128.xor
          local.set $v17
          local.get $drift
          local.get $v17
          v128.store offset=80
          local.get $spot
          local.get $v1
          local.get $v17
          f32x4.add
          local.get $bits0
          f32x4.add
          local.get $bits0
          f32x4.pmax
          v128.store offset=80
          local.get $spot
          v128.load offset=64
          local.set $v1
          local.get $spot
          v128.load64_zero offset=72
          f64x2.promote_low_f32x4
          local.set $v11
          local.get $spot
          v128.load64_zero offset=64
          f64x2.promote_low_f32x4
          local.set $v5
          local.get $drift
          v128.load offset=64
          local.set $v2
          local.get $drift
          v128.load64_zero offset=72
          f64x2.promote_low_f32x4
          local.set $v12
          local.get $drift
          v128.load64_zero offset=64
          f64x2.promote_low_f32x4
          local.set $v6
          local.get $v2
          local.get $v4
          local.get $v5
          local.get $v6
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          local.get $v4
          local.get $v11
          local.get $v12
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          i16x8.narrow_i32x4_s
          local.get $bits8000000080000000
          v128.and
          v128.xor
          local.set $v17
          local.get $drift
          local.get $v17
          v128.store offset=64
          local.get $spot
          local.get $v1
          local.get $v17
          f32x4.add
          local.get $bits0
          f32x4.add
          local.get $bits0
          f32x4.pmax
          v128.store offset=64
          local.get $spot
          v128.load offset=48
          local.set $v1
          local.get $spot
          v128.load64_zero offset=56
          f64x2.promote_low_f32x4
          local.set $v11
          local.get $spot
          v128.load64_zero offset=48
          f64x2.promote_low_f32x4
          local.set $v5
          local.get $drift
          v128.load offset=48
          local.set $v2
          local.get $drift
          v128.load64_zero offset=56
          f64x2.promote_low_f32x4
          local.set $v12
          local.get $drift
          v128.load64_zero offset=48
          f64x2.promote_low_f32x4
          local.set $v6
          local.get $v2
          local.get $v4
          local.get $v5
          local.get $v6
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          local.get $v4
          local.get $v11
          local.get $v12
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          i16x8.narrow_i32x4_s
          local.get $bits8000000080000000
          v128.and
          v128.xor
          local.set $v17
          local.get $drift
          local.get $v17
          v128.store offset=48
          local.get $spot
          local.get $v1
          local.get $v17
          f32x4.add
          local.get $bits0
          f32x4.add
          local.get $bits0
          f32x4.pmax
          v128.store offset=48
          local.get $spot
          v128.load offset=32
          local.set $v1
          local.get $spot
          v128.load64_zero offset=40
          f64x2.promote_low_f32x4
          local.set $v11
          local.get $spot
          v128.load64_zero offset=32
          f64x2.promote_low_f32x4
          local.set $v5
          local.get $drift
          v128.load offset=32
          local.set $v2
          local.get $drift
          v128.load64_zero offset=40
          f64x2.promote_low_f32x4
          local.set $v12
          local.get $drift
          v128.load64_zero offset=32
          f64x2.promote_low_f32x4
          local.set $v6
          local.get $v2
          local.get $v4
          local.get $v5
          local.get $v6
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          local.get $v4
          local.get $v11
          local.get $v12
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          i16x8.narrow_i32x4_s
          local.get $bits8000000080000000
          v128.and
          v128.xor
          local.set $v17
          local.get $drift
          local.get $v17
          v128.store offset=32
          local.get $spot
          local.get $v1
          local.get $v17
          f32x4.add
          local.get $bits0
          f32x4.add
          local.get $bits0
          f32x4.pmax
          v128.store offset=32
          local.get $spot
          v128.load offset=16
          local.set $v1
          local.get $spot
          v128.load64_zero offset=24
          f64x2.promote_low_f32x4
          local.set $v11
          local.get $spot
          v128.load64_zero offset=16
          f64x2.promote_low_f32x4
          local.set $v5
          local.get $drift
          v128.load offset=16
          local.set $v2
          local.get $drift
          v128.load64_zero offset=24
          f64x2.promote_low_f32x4
          local.set $v12
          local.get $drift
          v128.load64_zero offset=16
          f64x2.promote_low_f32x4
          local.set $v6
          local.get $v2
          local.get $v4
          local.get $v5
          local.get $v6
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          local.get $v4
          local.get $v11
          local.get $v12
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          i16x8.narrow_i32x4_s
          local.get $bits8000000080000000
          v128.and
          v128.xor
          local.set $v17
          local.get $drift
          local.get $v17
          v128.store offset=16
          local.get $spot
          local.get $v1
          local.get $v17
          f32x4.add
          local.get $bits0
          f32x4.add
          local.get $bits0
          f32x4.pmax
          v128.store offset=16
          local.get $spot
          v128.load
          local.set $v1
          local.get $spot
          v128.load64_zero offset=8
          f64x2.promote_low_f32x4
          local.set $v11
          local.get $spot
          v128.load64_zero
          f64x2.promote_low_f32x4
          local.set $v5
          local.get $drift
          v128.load
          local.set $v2
          local.get $drift
          v128.load64_zero offset=8
          f64x2.promote_low_f32x4
          local.set $v12
          local.get $drift
          v128.load64_zero
          f64x2.promote_low_f32x4
          local.set $v6
          local.get $v2
          local.get $v4
          local.get $v5
          local.get $v6
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          local.get $v4
          local.get $v11
          local.get $v12
          local.get $v7
          f64x2.mul
          f64x2.add
          f64x2.lt
          i16x8.narrow_i32x4_s
          local.get $bits8000000080000000
          v128.and
          v128.xor
          local.set $v17
          local.get $drift
          local.get $v17
          v128.store
          local.get $spot
          local.get $v1
          local.get $v17
          f32x4.add
          local.get $bits0
          f32x4.add
          local.get $bits0
          f32x4.pmax
          v128.store
          local.get $spot
          i32.const 112
          i32.add
          local.set $spot
          local.get $drift
          i32.const 112
          i32.add
          local.set $drift
          local.get $next
          i32.const 14
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
    v128.const i64x2 0x4072c00000000000 0x4072c00000000000
    f64x2.extract_lane 0
    local.set $300
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $spot
        f32.load offset=4
        f64.promote_f32
        local.set $spot.y
        local.get $spot
        f32.load
        f64.promote_f32
        local.set $spot.x
        local.get $drift
        f32.load offset=4
        f64.promote_f32
        local.set $drift.y
        local.get $drift
        f32.load
        f64.promote_f32
        local.set $drift.x
        block
          local.get $300
          local.get $spot.x
          local.get $drift.x
          local.get $dt
          f64.mul
          f64.add
          f64.lt
          if
            local.get $drift.x
            f64.neg
            local.set $drift.x
          end
          local.get $300
          local.get $spot.y
          local.get $drift.y
          local.get $dt
          f64.mul
          f64.add
          f64.lt
          if
            local.get $drift.y
            f64.neg
            local.set $drift.y
          end
          f64.const 0
          i64.reinterpret_f64
          local.get $spot.x
          local.get $drift.x
          f64.add
          local.get $0
          f64.add
          local.tee $held
          i64.reinterpret_f64
          local.get $held
          local.get $0
          f64.lt
          select
          f64.reinterpret_i64
          local.set $spot.x
          f64.const 0
          i64.reinterpret_f64
          local.get $spot.y
          local.get $drift.y
          f64.add
          local.get $0
          f64.add
          local.tee $held~2
          i64.reinterpret_f64
          local.get $held~2
          local.get $0
          f64.lt
          select
          f64.reinterpret_i64
          local.set $spot.y
        end
        local.get $spot
        local.get $spot.y
        f32.demote_f64
        f32.store offset=4
        local.get $spot
        local.get $spot.x
        f32.demote_f64
        f32.store
        local.get $drift
        local.get $drift.y
        f32.demote_f64
        f32.store offset=4
        local.get $drift
        local.get $drift.x
        f32.demote_f64
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
