  i64.const -1
  local.set $seen0
  i64.const -1
  local.set $seen1
  i64.const -1
  local.set $seen2
  i64.const -1
  local.set $seen3
  local.get $Foe
  local.get $next
  i32.const 24
  i32.mul
  i32.add
  local.set $Foe
  local.get $Place
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $Place
  block
    v128.const i64x2 0x3ff0000000000000 0x3ff0000000000000
    f64x2.extract_lane 0
    local.set $1
    v128.const i64x2 0x4000000000000000 0x4000000000000000
    f64x2.extract_lane 0
    local.set $2
    v128.const i64x2 0x4008000000000000 0x4008000000000000
    f64x2.extract_lane 0
    local.set $3
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $Foe
        i64.load offset=16
        local.set $Foe.target
        local.get $Foe
        i32.load8_u offset=8
        i32.const 0
        i32.ne
        local.set $Foe.idle
        local.get $Foe
        i64.load
        local.set $Foe.home
        local.get $Place
        f64.load
        local.set $Place.x
        block
          local.get $Foe.target
          local.set $entity
          i32.const -1
          local.set $Place@
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
                local.get $3
                local.get $Place.x
                f64.lt
                if
                  f64.const 3
                  local.set $Place.x
                end
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
          local.get $Foe.home
          local.set $entity~2
          i32.const -1
          local.set $Place@~2
          block
            block
              local.get $entity~2
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
                  local.get $origin1
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
                  local.get $seen1
                  i64.xor
                  i64.or
                  i64.const 0
                  i64.ne
                  br_if 0
                  local.get $goal
                  local.set $Place@~2
                  br 3
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
                  br 7
                end
                local.get $other
                i64.const 32
                i64.shr_u
                local.set $seen1
                local.get $other
                i32.wrap_i64
                local.set $origin1
                br 0
              end
            end
            local.get $Foe.idle
            if
              f64.const 1
              local.set $Place.x
            end
          end
          local.get $Foe.target
          local.set $entity~3
          i32.const -1
          local.set $Armour@
          block
            block
              local.get $entity~3
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
                  i32.const 0
                  i32.shl
                  local.get $at
                  i32.load offset=…
                  i32.const 14
                  i32.shl
                  i32.add
                  local.get $origin2
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
                  local.get $seen2
                  i64.xor
                  i64.or
                  i64.const 0
                  i64.ne
                  br_if 0
                  local.get $goal
                  local.set $Armour@
                  br 4
                  br 3
                end
                local.get $handle
                local.get $number of Armour
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
                local.set $seen2
                local.get $other
                i32.wrap_i64
                local.set $origin2
                br 0
              end
            end
            local.get $Foe.idle
            if
              br 2
            end
          end
          local.get $Place.x
          local.get $1
          f64.add
          local.set $Place.x
          local.get $Foe.home
          local.set $entity~4
          i32.const -1
          local.set $Armour@~2
          block
            local.get $entity~4
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
                i32.const 0
                i32.shl
                local.get $at
                i32.load offset=…
                i32.const 14
                i32.shl
                i32.add
                local.get $origin3
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
                local.get $seen3
                i64.xor
                i64.or
                i64.const 0
                i64.ne
                br_if 0
                local.get $goal
                local.set $Armour@~2
                local.get $Foe.idle
                if
                  br 4
                end
                br 2
              end
              local.get $handle
              local.get $number of Armour
              call $search
              local.tee $other
              i64.eqz
              if
                br 3
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
              local.set $seen3
              local.get $other
              i32.wrap_i64
              local.set $origin3
              br 0
            end
          end
          local.get $Place.x
          local.get $2
          f64.add
          local.set $Place.x
        end
        local.get $Place
        local.get $Place.x
        f64.store
        local.get $Foe
        i32.const 24
        i32.add
        local.set $Foe
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
