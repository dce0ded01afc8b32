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
    i32.const 11
    i32.sub
    local.set $last
    block
      local.get $next
      local.get $last
      i32.gt_s
      br_if 0
      v128.const i64x2 0x0 0x0
      local.set $bits0
      v128.const i64x2 0x7fffffffffffffff 0x7fffffffffffffff
      local.set $bits7fffffffffffffff
      f64.const 0.1
      f64x2.splat
      local.set $v2
      block
        loop
          local.get $spot
          i32.load8_u offset=87
          drop
          local.get $body
          i32.load8_u offset=432
          drop
          local.get $spot
          v128.load64_zero offset=80
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=84
          local.get $spot
          f32.load offset=80
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=432
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store offset=80
          local.get $spot
          v128.load64_zero offset=72
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=76
          local.get $spot
          f32.load offset=72
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=392
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store offset=72
          local.get $spot
          v128.load64_zero offset=64
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=68
          local.get $spot
          f32.load offset=64
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=352
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store offset=64
          local.get $spot
          v128.load64_zero offset=56
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=60
          local.get $spot
          f32.load offset=56
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=312
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store offset=56
          local.get $spot
          v128.load64_zero offset=48
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=52
          local.get $spot
          f32.load offset=48
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=272
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store offset=48
          local.get $spot
          v128.load64_zero offset=40
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=44
          local.get $spot
          f32.load offset=40
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=232
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store offset=40
          local.get $spot
          v128.load64_zero offset=32
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=36
          local.get $spot
          f32.load offset=32
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=192
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store offset=32
          local.get $spot
          v128.load64_zero offset=24
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=28
          local.get $spot
          f32.load offset=24
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=152
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store offset=24
          local.get $spot
          v128.load64_zero offset=16
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=20
          local.get $spot
          f32.load offset=16
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=112
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store offset=16
          local.get $spot
          v128.load64_zero offset=8
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=12
          local.get $spot
          f32.load offset=8
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=72
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store offset=8
          local.get $spot
          v128.load64_zero
          f64x2.promote_low_f32x4
          local.set $v0
          local.get $spot
          v128.load32_zero offset=4
          local.get $spot
          f32.load
          f32x4.replace_lane 1
          f64x2.promote_low_f32x4
          local.set $v4
          local.get $body
          i32.load8_u offset=32
          i32.const 0
          i32.ne
          f64.convert_i32_u
          f64x2.splat
          local.get $bits0
          f64x2.ne
          local.set $v5
          local.get $spot
          local.get $v0
          local.get $bits7fffffffffffffff
          v128.and
          local.get $v2
          f64x2.mul
          local.get $v4
          local.get $v5
          v128.bitselect
          f32x4.demote_f64x2_zero
          f64x2.extract_lane 0
          f64.store
          local.get $spot
          i32.const 88
          i32.add
          local.set $spot
          local.get $body
          i32.const 440
          i32.add
          local.set $body
          local.get $next
          i32.const 11
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
    v128.const i64x2 0x3fb999999999999a 0x3fb999999999999a
    f64x2.extract_lane 0
    local.set $0.1
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
        local.get $body
        i32.load8_u offset=32
        i32.const 0
        i32.ne
        local.set $body.ok
        block
          local.get $spot.x
          local.set $x
          local.get $spot.y
          local.set $y
          local.get $x
          f64.abs
          local.get $0.1
          f64.mul
          i64.reinterpret_f64
          local.get $y
          i64.reinterpret_f64
          local.get $body.ok
          select
          f64.reinterpret_i64
          local.set $spot.x
          local.get $y
          f64.abs
          local.get $0.1
          f64.mul
          i64.reinterpret_f64
          local.get $x
          i64.reinterpret_f64
          local.get $body.ok
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
