  local.get $count~given
  local.set $count
  local.get $extra
  i32.const -1
  i32.ne
  local.set $has extra
  local.get $body
  local.get $next
  i32.const 64
  i32.mul
  i32.add
  local.set $body
  local.get $extra
  local.get $next
  i32.const 24
  i32.mul
  i32.add
  local.set $extra
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
        f64.load
        local.set $body.x
        local.get $has extra
        if (result f64)
          local.get $extra
          f64.load
        else
          f64.const 0
        end
        local.set $extra.a
        block
          local.get $count
          local.get $1
          f64.add
          local.set $count
          local.get $has extra
          if
            local.get $extra.a
            local.set $body.x
            local.get $extra.a
            local.get $1
            f64.add
            local.set $extra.a
          end
        end
        local.get $body
        local.get $body.x
        f64.store
        local.get $has extra
        if
          local.get $extra
          local.get $extra.a
          f64.store
        end
        local.get $count
        local.set $count~given
        local.get $body
        i32.const 64
        i32.add
        local.set $body
        local.get $extra
        i32.const 24
        i32.add
        local.set $extra
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
  local.get $count~given
end
