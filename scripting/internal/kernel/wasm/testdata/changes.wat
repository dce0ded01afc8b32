  local.get $cmd
  local.set $noted
  local.get $body
  local.get $next
  i32.const 64
  i32.mul
  i32.add
  local.set $body
  local.get $entity
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $entity
  block
    v128.const i64x2 0x0 0x0
    f64x2.extract_lane 0
    local.set $0
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
          local.get $at
          i32.const 4
          i32.shr_u
          i32.load8_u offset=25856
          local.get $mark
          i32.const 255
          i32.and
          i32.eq
          if
            br 4
          end
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
          local.get $handle
          i64.const 24
          i64.shr_u
          local.get $at
          i64.load32_u offset=24576
          i64.eq
          local.get $handle
          i64.const 16777215
          i64.gt_u
          i32.and
          if
            local.get $limit
            local.get $noted
            i32.sub
            i32.const 32
            i32.lt_u
            if
              i32.const 1
              local.set $full
              br 5
            end
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
            local.get $at
            i32.const 4
            i32.shr_u
            local.get $mark
            i32.store8 offset=25856
            block (result i32)
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
              local.get $handle
              i64.const 24
              i64.shr_u
              local.get $at
              i64.load32_u offset=24576
              i64.eq
              local.get $handle
              i64.const 16777215
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
              local.get $body.x
              local.set $number
              local.get $noted
              local.get $number
              f64.store offset=16
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
              f64.store offset=24
              local.get $noted
              i64.const 0
              i64.store
              local.get $noted
              i32.const 32
              i32.add
              local.set $noted
              i32.const 1
            end
            local.set $noted
            local.get $noted
            if
            else
              br 5
            end
          end
          local.get $body.x
          local.get $0
          f64.lt
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
              br 5
            end
            local.get $mark
            i32.const 256
            i32.and
            if
              local.get $entity
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
              local.get $at
              i32.const 4
              i32.shr_u
              i32.load8_u offset=25856
              i32.const 127
              i32.and
              local.get $mark
              i32.const 127
              i32.and
              i32.eq
              if
                br 6
              end
            end
            local.get $entity
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
            local.get $at
            i32.const 4
            i32.shr_u
            local.get $mark
            i32.store8 offset=25856
            local.get $noted
            local.get $entity
            f64.convert_i64_s
            f64.store offset=8
            local.get $noted
            i64.const 1
            i64.store
            local.get $noted
            i32.const 16
            i32.add
            local.set $noted
            i32.const 1
            local.set $gone
          end
        end
        local.get $noted
        local.set $cmd
        local.get $body
        i32.const 64
        i32.add
        local.set $body
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
