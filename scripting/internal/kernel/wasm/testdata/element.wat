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
        i32.load8_u offset=36
        i32.const 0
        i32.ne
        local.set $body.ok
        local.get $body
        f64.load
        local.set $body.x
        block
          local.get $body
          f64.const 8
          i64.reinterpret_f64
          f64.const 0
          i64.reinterpret_f64
          local.get $body.ok
          select
          f64.reinterpret_i64
          i32.trunc_sat_f64_u
          i32.add
          f64.load
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
