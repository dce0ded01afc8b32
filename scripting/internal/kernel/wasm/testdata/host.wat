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
        f64.convert_i64_u
        local.set $body.mate
        local.get $body
        f64.load
        local.set $body.x
        block
          i32.const 0
          local.get $body.mate
          call $fetch
          local.set $place
          local.get $place
          i32.const -2
          i32.ne
          if
          else
            br 4
          end
          local.get $place
          i32.const -1
          i32.ne
          if
            local.get $place
            f64.load
            local.set $body.x
          end
          i32.const 1
          local.get $body.mate
          call $ask
          local.set $answer
          local.get $answer
          local.get $answer
          f64.eq
          if
          else
            br 4
          end
          local.get $body.x
          local.get $answer
          f64.add
          local.set $body.x
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
