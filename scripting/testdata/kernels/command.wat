  local.get $cmd
  local.set $noted
  local.get $Fuse
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $Fuse
  local.get $entity
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $entity
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
              local.get $Fuse
              i32.load8_u offset=127
              drop
              local.get $Fuse
              v128.load offset=112
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
              f64x2.le
              local.set $any
              local.get $Fuse
              v128.load offset=96
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
              f64x2.le
              local.get $any
              v128.or
              local.set $any
              local.get $Fuse
              v128.load offset=80
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
              f64x2.le
              local.get $any
              v128.or
              local.set $any
              local.get $Fuse
              v128.load offset=64
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
              f64x2.le
              local.get $any
              v128.or
              local.set $any
              local.get $Fuse
              v128.load offset=48
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
              f64x2.le
              local.get $any
              v128.or
              local.set $any
              local.get $Fuse
              v128.load offset=32
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
              f64x2.le
              local.get $any
              v128.or
              local.set $any
              local.get $Fuse
              v128.load offset=16
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
              f64x2.le
              local.get $any
              v128.or
              local.set $any
              local.get $Fuse
              v128.load
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
              f64x2.le
              local.get $any
              v128.or
              local.set $any
              local.get $any
              v128.any_true
              br_if 2
              local.get $Fuse
              local.get $kept7
              v128.store offset=112
              local.get $Fuse
              local.get $kept6
              v128.store offset=96
              local.get $Fuse
              local.get $kept5
              v128.store offset=80
              local.get $Fuse
              local.get $kept4
              v128.store offset=64
              local.get $Fuse
              local.get $kept3
              v128.store offset=48
              local.get $Fuse
              local.get $kept2
              v128.store offset=32
              local.get $Fuse
              local.get $kept1
              v128.store offset=16
              local.get $Fuse
              local.get $kept0
              v128.store
              local.get $Fuse
              i32.const 128
              i32.add
              local.set $Fuse
              local.get $entity
              i32.const 128
              i32.add
              local.set $entity
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
              local.get $Fuse
              i32.load8_u offset=15
              drop
              local.get $Fuse
              v128.load
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
              f64x2.le
              local.set $any
              local.get $any
              v128.any_true
              br_if 2
              local.get $Fuse
              local.get $kept0
              v128.store
              local.get $Fuse
              i32.const 16
              i32.add
              local.set $Fuse
              local.get $entity
              i32.const 16
              i32.add
              local.set $entity
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
          local.get $Fuse
          f64.load
          local.set $Fuse.left
          block
            local.get $Fuse.left
            local.get $dt
            f64.sub
            local.get $0
            f64.add
            local.set $Fuse.left
            local.get $Fuse.left
            local.get $0
            f64.le
            if
              local.get $entity
              i32.const -1
              i32.eq
              if (result i64)
                local.get $self
              else
                local.get $entity
                i64.load
              end
              local.set $entity
              local.get $limit
              local.get $noted
              i32.sub
              i32.const 16
              i32.lt_u
              if
                i32.const 1
                local.set $full
                br 6
              end
              local.get $heed
              i32.const 256
              i32.and
              if
                local.get $entity
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
                i32.const 127
                i32.and
                local.get $heed
                i32.const 127
                i32.and
                i32.eq
                if
                  br 7
                end
              end
              local.get $noted
              local.get $entity
              f64.convert_i64_s
              f64.store offset=8
              local.get $noted
              i64.const 0
              i64.store
              local.get $noted
              i32.const 16
              i32.add
              local.set $noted
              i32.const 1
              local.set $noted
            end
          end
          local.get $Fuse
          local.get $Fuse.left
          f64.store
          local.get $noted
          local.set $cmd
          local.get $Fuse
          i32.const 8
          i32.add
          local.set $Fuse
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
      local.get $next
      local.get $rows
      i32.lt_u
      br_if 0
    end
  end
  local.get $next
  local.get $fuel
  local.get $cmd
  local.get $full
end
