  local.get $cmd
  local.set $noted
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
  local.get $entity
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $entity
  block
    v128.const i64x2 0x4014000000000000 0x4014000000000000
    f64x2.extract_lane 0
    local.set $5
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
        local.get $entity
        i32.const -1
        i32.eq
        if (result i64)
          local.get $self
        else
          local.get $entity
          i64.load
        end
        local.set $entity~4
        block
          local.get $Foe.target
          local.get $Foe.home
          local.set $other
          local.tee $handle
          local.get $other
          i64.eq
          if (result i32)
            i32.const 1
          else
            local.get $handle
            local.get $other
            i64.or
            i64.const 53
            i64.shr_u
            i64.eqz
            if (result i32)
              i32.const 0
            else
              local.get $handle
              f64.convert_i64_u
              local.get $other
              f64.convert_i64_u
              f64.eq
            end
          end
          local.set $value
          i32.const 0
          local.set $second
          local.get $value
          if
          else
            local.get $Foe.target
            local.set $handle
            local.get $handle
            i32.wrap_i64
            i32.const 4
            i32.shl
            i32.const …
            i32.and
            local.set $at
            local.get $handle
            i64.const 24
            i64.shr_u
            local.get $at
            i64.load32_u offset=…
            i64.eq
            local.get $handle
            i64.const …
            i64.gt_u
            i32.and
            local.set $alive
            local.get $alive
            i32.eqz
            local.set $second
          end
          block
            block
              local.get $value
              if
                br 1
              end
              local.get $second
              if
                br 1
              end
              br 1
            end
            i32.const 1
            local.set $Foe.idle
            br 1
          end
          local.get $Foe.target
          local.set $entity
          i32.const -1
          local.set $Place@
          i32.const 0
          local.set $Place?
          block
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
                local.set $seen0
                local.get $other
                i32.wrap_i64
                local.set $origin0
                br 0
              end
            end
            i32.const 0
            local.set $Foe.idle
            br 1
          end
          local.get $Place@
          f64.load
          local.set $x
          local.get $x
          local.set $Place.x
          local.get $Foe.home
          local.set $entity~2
          local.get $entity~2
          local.set $handle
          local.get $handle
          i32.wrap_i64
          i32.const 4
          i32.shl
          i32.const …
          i32.and
          local.set $at
          local.get $at
          i32.const 4
          i32.shr_u
          i32.load8_u offset=…
          local.get $heed
          i32.const 255
          i32.and
          i32.eq
          if
            br 4
          end
          i32.const -1
          local.set $Armour@
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
                i32.const 0
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
                local.set $Armour@
                local.get $Foe.idle
                if
                else
                  local.get $Foe.target
                  local.set $entity~3
                  local.get $limit
                  local.get $noted
                  i32.sub
                  i32.const 24
                  i32.lt_u
                  if
                    i32.const 1
                    local.set $full
                    br 8
                  end
                  local.get $entity~3
                  local.set $handle
                  local.get $handle
                  i32.wrap_i64
                  i32.const 4
                  i32.shl
                  i32.const …
                  i32.and
                  local.set $at
                  local.get $at
                  i32.const 4
                  i32.shr_u
                  local.get $heed
                  i32.store8 offset=…
                  block (result i32)
                    local.get $entity~3
                    local.set $handle
                    local.get $handle
                    i32.wrap_i64
                    i32.const 4
                    i32.shl
                    i32.const …
                    i32.and
                    local.set $at
                    local.get $handle
                    i64.const 24
                    i64.shr_u
                    local.get $at
                    i64.load32_u offset=…
                    i64.eq
                    local.get $handle
                    i64.const …
                    i64.gt_u
                    i32.and
                    i32.eqz
                    if
                      i32.const 0
                      br 1
                    end
                    local.get $handle
                    f64.convert_i64_s
                    local.set $number
                    local.get $noted
                    local.get $number
                    f64.store offset=8
                    f64.const 3
                    local.set $number
                    local.get $number
                    f64.const 0
                    f64.ge
                    local.get $number
                    f64.const 255
                    f64.le
                    i32.and
                    local.get $number
                    f64.trunc
                    local.get $number
                    f64.eq
                    i32.and
                    i32.eqz
                    if
                      i32.const 0
                      br 1
                    end
                    local.get $noted
                    local.get $number
                    f64.store offset=16
                    local.get $noted
                    i64.const 0
                    i64.store
                    local.get $noted
                    i32.const 24
                    i32.add
                    local.set $noted
                    i32.const 1
                  end
                  local.set $noted
                  local.get $noted
                  if
                  else
                    br 8
                  end
                end
                br 2
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
                br 6
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
          local.get $entity~4
          local.set $handle
          local.get $handle
          i32.wrap_i64
          i32.const 4
          i32.shl
          i32.const …
          i32.and
          local.set $at
          local.get $at
          i32.const 4
          i32.shr_u
          i32.load8_u offset=…
          local.get $heed
          i32.const 255
          i32.and
          i32.eq
          if
            br 4
          end
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
                local.set $Armour@~2
                br 3
                br 2
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
                br 6
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
          local.get $Foe.target
          local.set $entity~5
          local.get $entity~5
          local.set $handle
          local.get $handle
          i32.wrap_i64
          i32.const 4
          i32.shl
          i32.const …
          i32.and
          local.set $at
          local.get $at
          i32.const 4
          i32.shr_u
          i32.load8_u offset=…
          local.get $heed
          i32.const 255
          i32.and
          i32.eq
          if
            br 4
          end
          i32.const -1
          local.set $Armour@~3
          i32.const 0
          local.set $Armour?
          block
            local.get $entity~5
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
                local.set $Armour@~3
                i32.const 1
                local.set $Armour?
                br 2
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
          f64.const 0
          local.set $Armour.left
          local.get $Armour?
          if
            local.get $Armour@~3
            i32.load8_u
            f64.convert_i32_s
            local.set $left
            local.get $left
            local.set $Armour.left
          end
          local.get $5
          local.get $Armour.left
          i64.reinterpret_f64
          f64.const 0
          i64.reinterpret_f64
          local.get $Armour?
          select
          f64.reinterpret_i64
          f64.lt
          local.set $Foe.idle
        end
        local.get $Foe
        local.get $Foe.idle
        i32.store8 offset=8
        local.get $Place
        local.get $Place.x
        f64.store
        local.get $noted
        local.set $cmd
        local.get $Foe
        i32.const 24
        i32.add
        local.set $Foe
        local.get $Place
        i32.const 8
        i32.add
        local.set $Place
        local.get $entity
        i32.const 8
        i32.add
        local.set $entity
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
  local.get $cmd
  local.get $full
end
