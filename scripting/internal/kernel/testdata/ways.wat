  local.get $random
  local.set $state
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
    local.get $rows
    i32.const 4
    i32.sub
    local.set $last
    v128.const i64x2 0x0 0x0
    local.set $bits0
    f64.const 1
    f64x2.splat
    local.set $v1
    f64.const 3
    f64x2.splat
    local.set $v5
    f64.const 2
    f64x2.splat
    local.set $v20
    f64.const 7
    f64x2.splat
    local.set $v26
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
              local.get $body
              i32.load8_u offset=152
              drop
              local.get $motion
              i32.load8_u offset=63
              drop
              local.get $body
              i32.load8_u offset=112
              i32.const 0
              i32.ne
              f64.convert_i32_u
              f64x2.splat
              local.get $body
              i32.load8_u offset=152
              i32.const 0
              i32.ne
              f64.convert_i32_u
              f64x2.replace_lane 1
              local.get $bits0
              f64x2.ne
              local.set $v3
              local.get $body
              v128.load64_zero offset=88
              local.get $body
              f64.load offset=128
              f64x2.replace_lane 1
              local.set $v19
              local.get $body
              v128.load64_zero offset=80
              local.get $body
              f64.load offset=120
              f64x2.replace_lane 1
              local.set $v16
              local.get $motion
              v128.load64_zero offset=40
              local.get $motion
              f64.load offset=56
              f64x2.replace_lane 1
              local.set $v27
              local.get $motion
              v128.load64_zero offset=32
              local.get $motion
              f64.load offset=48
              f64x2.replace_lane 1
              local.set $v0
              local.get $v3
              v128.not
              local.set $v4
              local.get $v5
              local.get $v0
              f64x2.lt
              local.set $v6
              local.get $v4
              local.get $v6
              v128.and
              local.set $v7
              local.get $v3
              local.get $v4
              local.get $v6
              v128.not
              v128.and
              v128.or
              local.set $v10
              local.get $v0
              local.get $bits0
              f64x2.lt
              local.set $v12
              local.get $v7
              local.get $v10
              local.get $v12
              v128.and
              v128.or
              local.set $v14
              local.get $v0
              local.get $v0
              local.get $v1
              f64x2.add
              local.get $v14
              v128.bitselect
              local.set $v15
              local.get $v1
              local.get $v16
              local.get $v7
              v128.bitselect
              local.get $v16
              local.get $v14
              v128.bitselect
              local.set $v18
              local.get $v19
              local.get $v20
              local.get $v3
              v128.bitselect
              local.set $v21
              local.get $v19
              local.get $v21
              local.get $v7
              v128.bitselect
              local.get $v21
              local.get $v14
              v128.bitselect
              local.set $v23
              local.get $v15
              local.set $kept3
              local.get $v18
              local.set $kept4
              local.get $v23
              local.set $kept5
              local.get $v10
              local.get $v12
              v128.not
              v128.and
              local.get $v26
              local.get $v27
              f64x2.lt
              v128.and
              local.set $any
              local.get $body
              i32.load8_u offset=32
              i32.const 0
              i32.ne
              f64.convert_i32_u
              f64x2.splat
              local.get $body
              i32.load8_u offset=72
              i32.const 0
              i32.ne
              f64.convert_i32_u
              f64x2.replace_lane 1
              local.get $bits0
              f64x2.ne
              local.set $v3
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
              local.set $v16
              local.get $motion
              v128.load64_zero offset=8
              local.get $motion
              f64.load offset=24
              f64x2.replace_lane 1
              local.set $v27
              local.get $motion
              v128.load64_zero
              local.get $motion
              f64.load offset=16
              f64x2.replace_lane 1
              local.set $v0
              local.get $v3
              v128.not
              local.set $v4
              local.get $v5
              local.get $v0
              f64x2.lt
              local.set $v6
              local.get $v4
              local.get $v6
              v128.and
              local.set $v7
              local.get $v3
              local.get $v4
              local.get $v6
              v128.not
              v128.and
              v128.or
              local.set $v10
              local.get $v0
              local.get $bits0
              f64x2.lt
              local.set $v12
              local.get $v7
              local.get $v10
              local.get $v12
              v128.and
              v128.or
              local.set $v14
              local.get $v0
              local.get $v0
              local.get $v1
              f64x2.add
              local.get $v14
              v128.bitselect
              local.set $v15
              local.get $v1
              local.get $v16
              local.get $v7
              v128.bitselect
              local.get $v16
              local.get $v14
              v128.bitselect
              local.set $v18
              local.get $v19
              local.get $v20
              local.get $v3
              v128.bitselect
              local.set $v21
              local.get $v19
              local.get $v21
              local.get $v7
              v128.bitselect
              local.get $v21
              local.get $v14
              v128.bitselect
              local.set $v23
              local.get $v15
              local.set $kept0
              local.get $v18
              local.set $kept1
              local.get $v23
              local.set $kept2
              local.get $v10
              local.get $v12
              v128.not
              v128.and
              local.get $v26
              local.get $v27
              f64x2.lt
              v128.and
              local.get $any
              v128.or
              local.set $any
              local.get $any
              v128.any_true
              br_if 2
              local.get $body
              local.get $kept5
              f64x2.extract_lane 0
              f64.store offset=88
              local.get $body
              local.get $kept5
              f64x2.extract_lane 1
              f64.store offset=128
              local.get $body
              local.get $kept4
              f64x2.extract_lane 0
              f64.store offset=80
              local.get $body
              local.get $kept4
              f64x2.extract_lane 1
              f64.store offset=120
              local.get $motion
              local.get $kept3
              f64x2.extract_lane 0
              f64.store offset=32
              local.get $motion
              local.get $kept3
              f64x2.extract_lane 1
              f64.store offset=48
              local.get $body
              local.get $kept2
              f64x2.extract_lane 0
              f64.store offset=8
              local.get $body
              local.get $kept2
              f64x2.extract_lane 1
              f64.store offset=48
              local.get $body
              local.get $kept1
              f64x2.extract_lane 0
              f64.store
              local.get $body
              local.get $kept1
              f64x2.extract_lane 1
              f64.store offset=40
              local.get $motion
              local.get $kept0
              f64x2.extract_lane 0
              f64.store
              local.get $motion
              local.get $kept0
              f64x2.extract_lane 1
              f64.store offset=16
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
              local.get $body
              i32.load8_u offset=72
              drop
              local.get $motion
              i32.load8_u offset=31
              drop
              local.get $body
              i32.load8_u offset=32
              i32.const 0
              i32.ne
              f64.convert_i32_u
              f64x2.splat
              local.get $body
              i32.load8_u offset=72
              i32.const 0
              i32.ne
              f64.convert_i32_u
              f64x2.replace_lane 1
              local.get $bits0
              f64x2.ne
              local.set $v3
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
              local.set $v16
              local.get $motion
              v128.load64_zero offset=8
              local.get $motion
              f64.load offset=24
              f64x2.replace_lane 1
              local.set $v27
              local.get $motion
              v128.load64_zero
              local.get $motion
              f64.load offset=16
              f64x2.replace_lane 1
              local.set $v0
              local.get $v3
              v128.not
              local.set $v4
              local.get $v5
              local.get $v0
              f64x2.lt
              local.set $v6
              local.get $v4
              local.get $v6
              v128.and
              local.set $v7
              local.get $v3
              local.get $v4
              local.get $v6
              v128.not
              v128.and
              v128.or
              local.set $v10
              local.get $v0
              local.get $bits0
              f64x2.lt
              local.set $v12
              local.get $v7
              local.get $v10
              local.get $v12
              v128.and
              v128.or
              local.set $v14
              local.get $v0
              local.get $v0
              local.get $v1
              f64x2.add
              local.get $v14
              v128.bitselect
              local.set $v15
              local.get $v1
              local.get $v16
              local.get $v7
              v128.bitselect
              local.get $v16
              local.get $v14
              v128.bitselect
              local.set $v18
              local.get $v19
              local.get $v20
              local.get $v3
              v128.bitselect
              local.set $v21
              local.get $v19
              local.get $v21
              local.get $v7
              v128.bitselect
              local.get $v21
              local.get $v14
              v128.bitselect
              local.set $v23
              local.get $v15
              local.set $kept0
              local.get $v18
              local.set $kept1
              local.get $v23
              local.set $kept2
              local.get $v10
              local.get $v12
              v128.not
              v128.and
              local.get $v26
              local.get $v27
              f64x2.lt
              v128.and
              local.set $any
              local.get $any
              v128.any_true
              br_if 2
              local.get $body
              local.get $kept2
              f64x2.extract_lane 0
              f64.store offset=8
              local.get $body
              local.get $kept2
              f64x2.extract_lane 1
              f64.store offset=48
              local.get $body
              local.get $kept1
              f64x2.extract_lane 0
              f64.store
              local.get $body
              local.get $kept1
              f64x2.extract_lane 1
              f64.store offset=40
              local.get $motion
              local.get $kept0
              f64x2.extract_lane 0
              f64.store
              local.get $motion
              local.get $kept0
              f64x2.extract_lane 1
              f64.store offset=16
              local.get $body
              i32.const 80
              i32.add
              local.set $body
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
      v128.const i64x2 0x3ff0000000000000 0x3ff0000000000000
      f64x2.extract_lane 0
      local.set $1
      v128.const i64x2 0x4008000000000000 0x4008000000000000
      f64x2.extract_lane 0
      local.set $3
      v128.const i64x2 0x401c000000000000 0x401c000000000000
      f64x2.extract_lane 0
      local.set $7
      block
        loop
          local.get $next
          local.get $until
          i32.ge_u
          br_if 1
          local.get $body
          i32.load8_u offset=32
          i32.const 0
          i32.ne
          local.set $body.ok
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
            block
              local.get $body.ok
              if
                br 1
              end
              local.get $3
              local.get $motion.x
              f64.lt
              if
                f64.const 1
                local.set $body.x
                br 2
              end
              f64.const 2
              local.set $body.y
            end
            local.get $motion.x
            local.get $0
            f64.lt
            if
              br 1
            end
            local.get $7
            local.get $motion.y
            f64.lt
            if
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
              local.get $random
              local.set $motion.y
            end
            local.get $motion.x
            local.get $1
            f64.add
            local.set $motion.x
          end
          local.get $body
          local.get $body.y
          f64.store offset=8
          local.get $body
          local.get $body.x
          f64.store
          local.get $motion
          local.get $motion.y
          f64.store offset=8
          local.get $motion
          local.get $motion.x
          f64.store
          local.get $state
          local.set $random
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
