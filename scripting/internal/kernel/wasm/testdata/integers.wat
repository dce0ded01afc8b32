  local.get $body
  local.get $next
  i32.const 64
  i32.mul
  i32.add
  local.set $body
  block
    v128.const i64x2 0x3ff0000000000000 0x3ff0000000000000
    f64x2.extract_lane 0
    local.set $1
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $body
        i64.load offset=40
        f64.convert_i64_s
        local.set $body.wide
        local.get $body
        i32.load offset=28
        f64.convert_i32_s
        local.set $body.i
        local.get $body
        i32.load8_u offset=24
        f64.convert_i32_s
        local.set $body.n
        local.get $body
        f64.load
        local.set $body.x
        block
          local.get $body.n
          local.get $1
          f64.add
          local.set $body.n
          local.get $body.x
          local.set $body.i
          local.get $body.wide
          local.get $body.x
          f64.add
          local.set $body.wide
        end
        local.get $body
        i64.load offset=40
        f64.convert_i64_s
        local.get $body.wide
        f64.ne
        local.get $body.wide
        f64.const -9.007199254740992e+15
        f64.ge
        local.get $body.wide
        f64.const 9.007199254740992e+15
        f64.le
        i32.and
        local.get $body.wide
        local.get $body.wide
        f64.trunc
        f64.eq
        i32.and
        i32.eqz
        i32.and
        if
          br 3
        end
        local.get $body.i
        i32.trunc_sat_f64_s
        f64.convert_i32_s
        local.get $body.i
        f64.ne
        if
          br 3
        end
        local.get $body.n
        i32.trunc_sat_f64_s
        i32.const 255
        i32.and
        f64.convert_i32_s
        local.get $body.n
        f64.ne
        if
          br 3
        end
        local.get $body
        i64.load offset=40
        f64.convert_i64_s
        local.get $body.wide
        f64.ne
        if
          local.get $body
          local.get $body.wide
          i64.trunc_sat_f64_s
          i64.store offset=40
        end
        local.get $body
        local.get $body.i
        i32.trunc_sat_f64_s
        i32.store offset=28
        local.get $body
        local.get $body.n
        i32.trunc_sat_f64_s
        i32.store8 offset=24
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
