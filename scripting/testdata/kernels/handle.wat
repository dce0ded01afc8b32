  i64.const -1
  local.set $seen0
  local.get $Leash
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $Leash
  local.get $Place
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $Place
  block
    v128.const i64x2 0x0 0x0
    f64x2.extract_lane 0
    local.set $0
    v128.const i64x2 0x3ff0000000000000 0x3ff0000000000000
    f64x2.extract_lane 0
    local.set $1
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $Leash
        i64.load
        local.set $Leash.owner
        local.get $Place
        f64.load
        local.set $Place.x
        block
          local.get $Leash.owner
          local.set $entity
          i32.const -1
          local.set $Place@
          i32.const 0
          local.set $Place?
          block
            local.get $entity
            local.set $handle
            local.get $handle
            i32.wrap_i64
            i32.const 4
            i32.shl
            i32.const …
            i32.and
            local.set $at
            loop
              block
                local.get $at
                i32.load offset=…
                i32.const 3
                i32.shl
                local.get $at
                i32.load offset=…
                i32.const 14
                i32.shl
                i32.add
                local.get $origin0
                i32.add
                local.set $goal
                local.get $handle
                i64.const 24
                i64.shr_u
                local.get $at
                i64.load32_u offset=…
                i64.xor
                local.get $at
                i64.load32_u offset=…
                local.get $seen0
                i64.xor
                i64.or
                i64.const 0
                i64.ne
                br_if 0
                local.get $goal
                local.set $Place@
                i32.const 1
                local.set $Place?
                local.get $Place@
                f64.load
                local.set $x
                local.get $x
                local.get $1
                f64.sub
                local.get $0
                f64.add
                local.set $Place.x
                br 2
              end
              local.get $handle
              local.get $number of Place
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
                br 6
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
        end
        local.get $Place
        local.get $Place.x
        f64.store
        local.get $Leash
        i32.const 8
        i32.add
        local.set $Leash
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
