  local.get $spot
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $spot
  local.get $body
  local.get $next
  i32.const 40
  i32.mul
  i32.add
  local.set $body
  block
    local.get $rows
    i32.const 4
    i32.sub
    local.set $last
    block
      local.get $next
      local.get $last
      i32.gt_s
      br_if 0
      v128.const i64x2 0x0 0x0
      local.set $bits0
      f64.const 1
      f64x2.splat
      local.set $v3
      f32.const 1
      f32x4.splat
      local.set $v5
      f64.const 5
      f64x2.splat
      local.set $v9
      f64.const 2
      f64x2.splat
      local.set $v34
      f64.const 6.755399441055744e+15
      f64x2.splat
      local.set $v40
      block
        loop
          local.get $spot
          i32.load8_u offset=31
          drop
          local.get $body
          i32.load8_u offset=136
          drop
          local.get $spot
          v128.load32_zero offset=4
          local.get $spot
          f32.load offset=12
          f32x4.replace_lane 1
          local.get $spot
          f32.load offset=20
          f32x4.replace_lane 2
          local.get $spot
          f32.load offset=28
          f32x4.replace_lane 3
          local.set $v18
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
          local.get $body
          v128.load64_zero offset=88
          local.get $body
          f64.load offset=128
          f64x2.replace_lane 1
          local.set $v25
          local.get $body
          v128.load64_zero offset=80
          local.get $body
          f64.load offset=120
          f64x2.replace_lane 1
          local.set $v11
          local.get $body
          v128.load64_zero offset=8
          local.get $body
          f64.load offset=48
          f64x2.replace_lane 1
          local.set $v19
          local.get $body
          v128.load64_zero
          local.get $body
          f64.load offset=40
          f64x2.replace_lane 1
          local.set $v2
          local.get $v5
          local.get $v1
          f32x4.lt
          local.set $v6
          local.get $v2
          local.get $v3
          f64x2.add
          local.get $v2
          local.get $v6
          i64x2.extend_low_i32x4_s
          v128.bitselect
          local.set $v8
          local.get $v11
          local.get $v3
          f64x2.add
          local.get $v11
          local.get $v6
          i64x2.extend_high_i32x4_s
          v128.bitselect
          local.set $v14
          local.get $v1
          local.get $v8
          local.get $v9
          f64x2.eq
          local.get $v14
          local.get $v9
          f64x2.eq
          i16x8.narrow_i32x4_s
          v128.andnot
          local.set $v17
          local.get $v5
          local.get $v18
          f32x4.le
          local.set $v21
          local.get $v19
          local.get $v3
          f64x2.add
          local.get $v19
          local.get $v21
          i64x2.extend_low_i32x4_s
          v128.bitselect
          local.set $v23
          local.get $v25
          local.get $v3
          f64x2.add
          local.get $v25
          local.get $v21
          i64x2.extend_high_i32x4_s
          v128.bitselect
          local.set $v28
          local.get $v18
          local.get $v23
          local.get $v9
          f64x2.ne
          local.get $v28
          local.get $v9
          f64x2.ne
          i16x8.narrow_i32x4_s
          local.get $v17
          local.get $v18
          f32x4.eq
          v128.and
          v128.andnot
          local.set $v33
          local.get $v17
          local.get $v33
          f32x4.ne
          local.set $v35
          local.get $v3
          local.get $v34
          local.get $v35
          i64x2.extend_low_i32x4_s
          local.get $v8
          local.get $v23
          f64x2.le
          v128.or
          v128.bitselect
          local.get $v40
          f64x2.add
          local.set $v41
          local.get $v3
          local.get $v34
          local.get $v35
          i64x2.extend_high_i32x4_s
          local.get $v14
          local.get $v28
          f64x2.le
          v128.or
          v128.bitselect
          local.get $v40
          f64x2.add
          local.set $v46
          local.get $body
          local.get $v46
          i32x4.extract_lane 0
          i32.store8 offset=96
          local.get $body
          local.get $v46
          i32x4.extract_lane 2
          i32.store8 offset=136
          local.get $body
          local.get $v41
          i32x4.extract_lane 0
          i32.store8 offset=16
          local.get $body
          local.get $v41
          i32x4.extract_lane 2
          i32.store8 offset=56
          local.get $body
          local.get $v28
          f64x2.extract_lane 0
          f64.store offset=88
          local.get $body
          local.get $v28
          f64x2.extract_lane 1
          f64.store offset=128
          local.get $body
          local.get $v23
          f64x2.extract_lane 0
          f64.store offset=8
          local.get $body
          local.get $v23
          f64x2.extract_lane 1
          f64.store offset=48
          local.get $spot
          local.get $v33
          f32x4.extract_lane 0
          f32.store offset=4
          local.get $spot
          local.get $v33
          f32x4.extract_lane 1
          f32.store offset=12
          local.get $spot
          local.get $v33
          f32x4.extract_lane 2
          f32.store offset=20
          local.get $spot
          local.get $v33
          f32x4.extract_lane 3
          f32.store offset=28
          local.get $body
          local.get $v14
          f64x2.extract_lane 0
          f64.store offset=80
          local.get $body
          local.get $v14
          f64x2.extract_lane 1
          f64.store offset=120
          local.get $body
          local.get $v8
          f64x2.extract_lane 0
          f64.store
          local.get $body
          local.get $v8
          f64x2.extract_lane 1
          f64.store offset=40
          local.get $spot
          local.get $v17
          f32x4.extract_lane 0
          f32.store
          local.get $spot
          local.get $v17
          f32x4.extract_lane 1
          f32.store offset=8
          local.get $spot
          local.get $v17
          f32x4.extract_lane 2
          f32.store offset=16
          local.get $spot
          local.get $v17
          f32x4.extract_lane 3
          f32.store offset=24
          local.get $spot
          i32.const 32
          i32.add
          local.set $spot
          local.get $body
          i32.const 160
          i32.add
          local.set $body
          local.get $next
          i32.const 4
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
    v128.const i64x2 0x3ff0000000000000 0x3ff0000000000000
    f64x2.extract_lane 0
    local.set $1
    v128.const i64x2 0x4014000000000000 0x4014000000000000
    f64x2.extract_lane 0
    local.set $5
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $spot
        f32.load offset=4
        local.set $spot.y
        local.get $spot
        f32.load
        local.set $spot.x
        local.get $body
        i32.load8_u offset=16
        f64.convert_i32_s
        local.set $body.n
        local.get $body
        f64.load offset=8
        local.set $body.y
        local.get $body
        f64.load
        local.set $body.x
        block
          f32.const 1
          local.get $spot.x
          f32.lt
          if
            local.get $body.x
            local.get $1
            f64.add
            local.set $body.x
          end
          f32.const 1
          local.get $spot.y
          f32.le
          if
            local.get $body.y
            local.get $1
            f64.add
            local.set $body.y
          end
          local.get $body.x
          local.get $5
          f64.eq
          if
            f32.const 0
            local.set $spot.x
          end
          local.get $body.y
          local.get $5
          f64.ne
          if
            local.get $spot.x
            local.get $spot.y
            f32.eq
            if
              f32.const 0
              local.set $spot.y
            end
          end
          f64.const 1
          i64.reinterpret_f64
          f64.const 2
          i64.reinterpret_f64
          local.get $spot.x
          local.get $spot.y
          f32.ne
          local.get $body.x
          local.get $body.y
          f64.le
          i32.or
          select
          f64.reinterpret_i64
          local.set $body.n
        end
        local.get $spot
        local.get $spot.y
        f32.store offset=4
        local.get $spot
        local.get $spot.x
        f32.store
        local.get $body
        local.get $body.n
        i32.trunc_sat_f64_s
        i32.store8 offset=16
        local.get $body
        local.get $body.y
        f64.store offset=8
        local.get $body
        local.get $body.x
        f64.store
        local.get $spot
        i32.const 8
        i32.add
        local.set $spot
        local.get $body
        i32.const 40
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
