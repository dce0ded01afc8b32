  local.get $random
  local.set $state
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
        f64.load
        local.set $body.x
        block
          local.get $state
          i64.const -7046029254386353131
          i64.add
          local.tee $state
          local.set $scratch
          local.get $scratch
          local.get $scratch
          i64.const 30
          i64.shr_u
          i64.xor
          i64.const -4658895280553007687
          i64.mul
          local.set $scratch
          local.get $scratch
          local.get $scratch
          i64.const 27
          i64.shr_u
          i64.xor
          i64.const -7723592293110705685
          i64.mul
          local.set $scratch
          local.get $scratch
          local.get $scratch
          i64.const 31
          i64.shr_u
          i64.xor
          i64.const 11
          i64.shr_u
          f64.convert_i64_u
          f64.const 1.1102230246251565e-16
          f64.mul
          local.set $a
          f64.const 1
          local.get $state
          i64.const -7046029254386353131
          i64.add
          local.tee $state
          local.set $scratch
          local.get $scratch
          local.get $scratch
          i64.const 30
          i64.shr_u
          i64.xor
          i64.const -4658895280553007687
          i64.mul
          local.set $scratch
          local.get $scratch
          local.get $scratch
          i64.const 27
          i64.shr_u
          i64.xor
          i64.const -7723592293110705685
          i64.mul
          local.set $scratch
          local.get $scratch
          local.get $scratch
          i64.const 31
          i64.shr_u
          i64.xor
          f64.const 6
          f64.const 1
          f64.sub
          f64.const 1
          f64.add
          i64.trunc_sat_f64_u
          i64.rem_u
          f64.convert_i64_u
          f64.add
          local.set $b
          local.get $a
          local.get $b
          f64.add
          local.set $body.x
        end
        local.get $body
        local.get $body.x
        f64.store
        local.get $state
        local.set $random
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
  local.get $random
end
