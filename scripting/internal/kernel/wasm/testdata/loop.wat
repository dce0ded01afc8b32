  local.get $fuel
  local.set $burnt
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
        i32.load8_u offset=24
        f64.convert_i32_s
        local.set $body.n
        local.get $body
        f64.load
        local.set $body.x
        block
          f64.const 0
          local.set $i
          block
            loop
              local.get $i
              f64.const 1
              f64.add
              local.set $i
              local.get $i
              local.get $body.n
              f64.le
              if
              else
                br 2
              end
              local.get $body.x
              local.get $i
              f64.add
              local.set $body.x
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
        end
        local.get $body
        local.get $body.x
        f64.store
        local.get $burnt
        local.set $fuel
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
  local.get $burnt
  i64.const 63
  i64.shr_s
  i64.xor
end
