  local.get $random
  local.set $state
  local.get $body
  local.get $next
  i32.const 64
  i32.mul
  i32.add
  local.set $body
  block
    local.get $rows
    i32.const 6
    i32.sub
    local.set $last
    v128.const i64x2 0x0 0x0
    local.set $bits0
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
              i32.load8_u offset=335
              drop
              local.get $body
              v128.load64_zero offset=264
              local.get $body
              f64.load offset=328
              f64x2.replace_lane 1
              local.set $v0
              local.get $body
              v128.load64_zero offset=256
              local.get $body
              f64.load offset=320
              f64x2.replace_lane 1
              local.set $v1
              local.get $v1
              call $sincos.two
              local.set $v2
              local.set $v6
              local.get $v0
              local.get $v2
              f64x2.mul
              local.set $v3
              local.get $v3
              local.set $kept2
              local.get $bits0
              local.get $v0
              f64x2.lt
              local.get $bits0
              local.get $v6
              f64x2.lt
              v128.and
              local.set $any
              local.get $body
              v128.load64_zero offset=136
              local.get $body
              f64.load offset=200
              f64x2.replace_lane 1
              local.set $v0
              local.get $body
              v128.load64_zero offset=128
              local.get $body
              f64.load offset=192
              f64x2.replace_lane 1
              local.set $v1
              local.get $v1
              call $sincos.two
              local.set $v2
              local.set $v6
              local.get $v0
              local.get $v2
              f64x2.mul
              local.set $v3
              local.get $v3
              local.set $kept1
              local.get $bits0
              local.get $v0
              f64x2.lt
              local.get $bits0
              local.get $v6
              f64x2.lt
              v128.and
              local.get $any
              v128.or
              local.set $any
              local.get $body
              v128.load64_zero offset=8
              local.get $body
              f64.load offset=72
              f64x2.replace_lane 1
              local.set $v0
              local.get $body
              v128.load64_zero
              local.get $body
              f64.load offset=64
              f64x2.replace_lane 1
              local.set $v1
              local.get $v1
              call $sincos.two
              local.set $v2
              local.set $v6
              local.get $v0
              local.get $v2
              f64x2.mul
              local.set $v3
              local.get $v3
              local.set $kept0
              local.get $bits0
              local.get $v0
              f64x2.lt
              local.get $bits0
              local.get $v6
              f64x2.lt
              v128.and
              local.get $any
              v128.or
              local.set $any
              local.get $any
              v128.any_true
              br_if 2
              local.get $body
              local.get $kept2
              f64x2.extract_lane 0
              f64.store offset=264
              local.get $body
              local.get $kept2
              f64x2.extract_lane 1
              f64.store offset=328
              local.get $body
              local.get $kept1
              f64x2.extract_lane 0
              f64.store offset=136
              local.get $body
              local.get $kept1
              f64x2.extract_lane 1
              f64.store offset=200
              local.get $body
              local.get $kept0
              f64x2.extract_lane 0
              f64.store offset=8
              local.get $body
              local.get $kept0
              f64x2.extract_lane 1
              f64.store offset=72
              local.get $body
              i32.const 384
              i32.add
              local.set $body
              local.get $next
              i32.const 6
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
              i32.load8_u offset=79
              drop
              local.get $body
              v128.load64_zero offset=8
              local.get $body
              f64.load offset=72
              f64x2.replace_lane 1
              local.set $v0
              local.get $body
              v128.load64_zero
              local.get $body
              f64.load offset=64
              f64x2.replace_lane 1
              local.set $v1
              local.get $v1
              call $sincos.two
              local.set $v2
              local.set $v6
              local.get $v0
              local.get $v2
              f64x2.mul
              local.set $v3
              local.get $v3
              local.set $kept0
              local.get $bits0
              local.get $v0
              f64x2.lt
              local.get $bits0
              local.get $v6
              f64x2.lt
              v128.and
              local.set $any
              local.get $any
              v128.any_true
              br_if 2
              local.get $body
              local.get $kept0
              f64x2.extract_lane 0
              f64.store offset=8
              local.get $body
              local.get $kept0
              f64x2.extract_lane 1
              f64.store offset=72
              local.get $body
              i32.const 128
              i32.add
              local.set $body
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
          local.get $body
          f64.load offset=8
          local.set $body.y
          local.get $body
          f64.load
          local.set $body.x
          block
            local.get $0
            local.get $body.y
            f64.lt
            local.get $0
            local.get $body.x
            call $sincos
            local.set $cosine
            local.set $sine
            local.get $sine
            f64.lt
            i32.and
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
              local.get $sine
              f64.add
              local.set $body.x
            end
            local.get $body.y
            local.get $cosine
            f64.mul
            local.set $body.y
          end
          local.get $body
          local.get $body.y
          f64.store offset=8
          local.get $body
          local.get $body.x
          f64.store
          local.get $state
          local.set $random
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
