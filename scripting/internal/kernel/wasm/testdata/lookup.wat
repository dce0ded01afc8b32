  i64.const -1
  local.set $seen0
  local.get $body
  local.get $next
  i32.const 64
  i32.mul
  i32.add
  local.set $body
  block
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $body
        i64.load offset=48
        local.set $body.mate
        local.get $body
        f64.load
        local.set $body.x
        block
          i32.const -1
          local.set $first@
          i32.const 0
          local.set $there
          block
            block
              local.get $body.mate
              local.set $handle
              local.get $handle
              i32.wrap_i64
              i32.const 4
              i32.shl
              i32.const 268435440
              i32.and
              local.set $at
              local.get $at
              i32.const 0
              local.get $at
              i32.const 512
              i32.lt_u
              select
              local.set $at
              loop
                block
                  local.get $at
                  i32.load offset=24588
                  i32.const 4
                  i32.shl
                  local.get $at
                  i32.load offset=24584
                  i32.const 6
                  i32.shl
                  i32.add
                  local.get $origin0
                  i32.add
                  local.set $goal
                  local.get $handle
                  i64.const 24
                  i64.shr_u
                  local.get $at
                  i64.load32_u offset=24576
                  i64.xor
                  local.get $at
                  i64.load32_u offset=24580
                  local.get $seen0
                  i64.xor
                  i64.or
                  i64.const 0
                  i64.ne
                  br_if 0
                  local.get $goal
                  local.set $first@
                  i32.const 1
                  local.set $there
                  local.get $first@
                  f64.load
                  local.set $body.x
                  br 3
                end
                local.get $handle
                local.get $number of first
                call $search
                local.tee $other
                i64.eqz
                if
                  br 2
                end
                local.get $other
                i64.const 0
                i64.lt_s
                if
                  br 7
                end
                local.get $other
                i64.const 32
                i64.shr_u
                local.set $seen0
                local.get $other
                i32.wrap_i64
                local.set $origin0
                br 0
              end
            end
            f64.const 0
            local.set $body.x
          end
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
