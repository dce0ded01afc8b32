  local.get $random
  local.set $state
  local.get $motion
  local.get $next
  i32.const 16
  i32.mul
  i32.add
  local.set $motion
  block
    local.get $rows
    i32.const 16
    i32.sub
    local.set $last
    v128.const i64x2 0x0 0x0
    local.set $bits0
    local.get $dt
    f64x2.splat
    local.set $v1
    i32.const 2
    local.set $stretch
    loop
      local.get $rows
      local.set $until
      block
        local.get $next
        local.get $last
        i32.gt_s
        br_if 0
        block
          block
            loop
              local.get $motion
              i32.load8_u offset=247
              drop
              local.get $motion
              v128.load64_zero offset=224
              local.get $motion
              f64.load offset=240
              f64x2.replace_lane 1
              local.set $v0
              local.get $v0
              local.get $v1
              f64x2.sub
              local.get $bits0
              f64x2.add
              local.set $v3
              local.get $v3
              local.set $kept7
              local.get $v3
              local.get $bits0
              f64x2.lt
              local.set $any
              local.get $motion
              v128.load64_zero offset=192
              local.get $motion
              f64.load offset=208
              f64x2.replace_lane 1
              local.set $v0
              local.get $v0
              local.get $v1
              f64x2.sub
              local.get $bits0
              f64x2.add
              local.set $v3
              local.get $v3
              local.set $kept6
              local.get $v3
              local.get $bits0
              f64x2.lt
              local.get $any
              v128.or
              local.set $any
              local.get $motion
              v128.load64_zero offset=160
              local.get $motion
              f64.load offset=176
              f64x2.replace_lane 1
              local.set $v0
              local.get $v0
              local.get $v1
              f64x2.sub
              local.get $bits0
              f64x2.add
              local.set $v3
              local.get $v3
              local.set $kept5
              local.get $v3
              local.get $bits0
              f64x2.lt
              local.get $any
              v128.or
              local.set $any
              local.get $motion
              v128.load64_zero offset=128
              local.get $motion
              f64.load offset=144
              f64x2.replace_lane 1
              local.set $v0
              local.get $v0
              local.get $v1
              f64x2.sub
              local.get $bits0
              f64x2.add
              local.set $v3
              local.get $v3
              local.set $kept4
              local.get $v3
              local.get $bits0
              f64x2.lt
              local.get $any
              v128.or
              local.set $any
              local.get $motion
              v128.load64_zero offset=96
              local.get $motion
              f64.load offset=112
              f64x2.replace_lane 1
              local.set $v0
              local.get $v0
              local.get $v1
              f64x2.sub
              local.get $bits0
              f64x2.add
              local.set $v3
              local.get $v3
              local.set $kept3
              local.get $v3
              local.get $bits0
              f64x2.lt
              local.get $any
              v128.or
              local.set $any
              local.get $motion
              v128.load64_zero offset=64
              local.get $motion
              f64.load offset=80
              f64x2.replace_lane 1
              local.set $v0
              local.get $v0
              local.get $v1
              f64x2.sub
              local.get $bits0
              f64x2.add
              local.set $v3
              local.get $v3
              local.set $kept2
              local.get $v3
              local.get $bits0
              f64x2.lt
              local.get $any
              v128.or
              local.set $any
              local.get $motion
              v128.load64_zero offset=32
              local.get $motion
              f64.load offset=48
              f64x2.replace_lane 1
              local.set $v0
              local.get $v0
              local.get $v1
              f64x2.sub
              local.get $bits0
              f64x2.add
              local.set $v3
              local.get $v3
              local.set $kept1
              local.get $v3
              local.get $bits0
              f64x2.lt
              local.get $any
              v128.or
              local.set $any
              local.get $motion
              v128.load64_zero
              local.get $motion
              f64.load offset=16
              f64x2.replace_lane 1
              local.set $v0
              local.get $v0
              local.get $v1
              f64x2.sub
              local.get $bits0
              f64x2.add
              local.set $v3
              local.get $v3
              local.set $kept0
              local.get $v3
              local.get $bits0
              f64x2.lt
              local.get $any
              v128.or
              local.set $any
              local.get $any
              v128.any_true
              br_if 2
              local.get $motion
              local.get $kept7
              f64x2.extract_lane 0
              f64.store offset=224
              local.get $motion
              local.get $kept7
              f64x2.extract_lane 1
              f64.store offset=240
              local.get $motion
              local.get $kept6
              f64x2.extract_lane 0
              f64.store offset=192
              local.get $motion
              local.get $kept6
              f64x2.extract_lane 1
              f64.store offset=208
              local.get $motion
              local.get $kept5
              f64x2.extract_lane 0
              f64.store offset=160
              local.get $motion
              local.get $kept5
              f64x2.extract_lane 1
              f64.store offset=176
              local.get $motion
              local.get $kept4
              f64x2.extract_lane 0
              f64.store offset=128
              local.get $motion
              local.get $kept4
              f64x2.extract_lane 1
              f64.store offset=144
              local.get $motion
              local.get $kept3
              f64x2.extract_lane 0
              f64.store offset=96
              local.get $motion
              local.get $kept3
              f64x2.extract_lane 1
              f64.store offset=112
              local.get $motion
              local.get $kept2
              f64x2.extract_lane 0
              f64.store offset=64
              local.get $motion
              local.get $kept2
              f64x2.extract_lane 1
              f64.store offset=80
              local.get $motion
              local.get $kept1
              f64x2.extract_lane 0
              f64.store offset=32
              local.get $motion
              local.get $kept1
              f64x2.extract_lane 1
              f64.store offset=48
              local.get $motion
              local.get $kept0
              f64x2.extract_lane 0
              f64.store
              local.get $motion
              local.get $kept0
              f64x2.extract_lane 1
              f64.store offset=16
              local.get $motion
              i32.const 256
              i32.add
              local.set $motion
              local.get $next
              i32.const 16
              i32.add
              local.set $next
              i32.const 2
              local.set $stretch
              local.get $next
              local.get $last
              i32.gt_s
              br_if 1
              br 0
            end
          end
          br 1
        end
        block
          block
            loop
              local.get $motion
              i32.load8_u offset=23
              drop
              local.get $motion
              v128.load64_zero
              local.get $motion
              f64.load offset=16
              f64x2.replace_lane 1
              local.set $v0
              local.get $v0
              local.get $v1
              f64x2.sub
              local.get $bits0
              f64x2.add
              local.set $v3
              local.get $v3
              local.set $kept0
              local.get $v3
              local.get $bits0
              f64x2.lt
              local.set $any
              local.get $any
              v128.any_true
              br_if 2
              local.get $motion
              local.get $kept0
              f64x2.extract_lane 0
              f64.store
              local.get $motion
              local.get $kept0
              f64x2.extract_lane 1
              f64.store offset=16
              local.get $motion
              i32.const 32
              i32.add
              local.set $motion
              local.get $next
              i32.const 2
              i32.add
              local.set $next
              local.get $rows
              local.get $next
              i32.sub
              i32.const 2
              i32.lt_u
              br_if 1
              br 0
            end
          end
        end
        local.get $stretch
        local.get $rows
        local.get $next
        i32.sub
        i32.lt_u
        if
          local.get $next
          local.get $stretch
          i32.add
          local.set $until
          local.get $stretch
          local.get $stretch
          i32.add
          local.set $stretch
        end
      end
      v128.const i64x2 0x0 0x0
      f64x2.extract_lane 0
      local.set $0
      block
        loop
          local.get $next
          local.get $until
          i32.ge_u
          br_if 1
          local.get $motion
          f64.load
          local.set $motion.x
          block
            local.get $motion.x
            local.get $dt
            f64.sub
            local.get $0
            f64.add
            local.set $motion.x
            local.get $motion.x
            local.get $0
            f64.lt
            if
              local.get $motion.x
              local.set $value
              local.get $state
              i64.const -7046029254386353131
              i64.add
              local.tee $state
              local.set $scratch
              local.get $scratch
              local.get $scratch
              i64.const 30
              i64.shr_u
              i64.xor
              i64.const -4658895280553007687
              i64.mul
              local.set $scratch
              local.get $scratch
              local.get $scratch
              i64.const 27
              i64.shr_u
              i64.xor
              i64.const -7723592293110705685
              i64.mul
              local.set $scratch
              local.get $scratch
              local.get $scratch
              i64.const 31
              i64.shr_u
              i64.xor
              i64.const 11
              i64.shr_u
              f64.convert_i64_u
              f64.const 1.1102230246251565e-16
              f64.mul
              local.set $random
              local.get $value
              local.get $random
              f64.add
              local.set $motion.x
            end
          end
          local.get $motion
          local.get $motion.x
          f64.store
          local.get $state
          local.set $random
          local.get $motion
          i32.const 16
          i32.add
          local.set $motion
          local.get $next
          i32.const 1
          i32.add
          local.set $next
          br 0
        end
      end
      local.get $next
      local.get $rows
      i32.lt_u
      br_if 0
    end
  end
  local.get $next
  local.get $fuel
  local.get $random
end
