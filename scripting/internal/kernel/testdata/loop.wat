  local.get $fuel
  local.set $burnt
  local.get $body
  local.get $next
  i32.const 40
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
        f64.load offset=8
        local.set $body.y
        local.get $body
        f64.load
        local.set $body.x
        block
          f64.const 0
          local.set $sum
          local.get $sum
          f64.const 1
          f64.add
          local.set $sum
          local.get $sum
          f64.const 3
          f64.add
          local.set $sum
          block
            loop
              local.get $sum
              local.get $body.x
              f64.lt
              if
              else
                br 2
              end
              local.get $sum
              f64.const 2
              f64.mul
              f64.const 0
              f64.add
              local.set $sum
              f64.const 100
              local.get $sum
              f64.lt
              if
                br 3
              end
              local.get $burnt
              i64.const 4
              i64.sub
              local.tee $burnt
              i64.const 0
              i64.lt_s
              if
                br 6
              end
              br 0
            end
          end
          local.get $sum
          local.set $body.y
        end
        local.get $body
        local.get $body.y
        f64.store offset=8
        local.get $burnt
        local.set $fuel
        local.get $body
        i32.const 40
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
  local.get $burnt
  i64.const 63
  i64.shr_s
  i64.xor
end
