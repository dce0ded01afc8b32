  local.get $Wind
  i32.const -1
  i32.ne
  local.set $has Wind
  local.get $Wind
  local.get $next
  i32.const 4
  i32.mul
  i32.add
  local.set $Wind
  local.get $Place
  local.get $next
  i32.const 8
  i32.mul
  i32.add
  local.set $Place
  local.get $has Wind
  i32.eqz
  local.set $once
  block
    local.get $next
    local.get $rows
    i32.ge_u
    br_if 0
    loop
      local.get $has Wind
      if (result f64)
        local.get $Wind
        f32.load
        f64.promote_f32
      else
        f64.const 0
      end
      local.set $Wind.x
      local.get $Place
      f64.load
      local.set $Place.x
      block
        local.get $has Wind
        if
          local.get $Place.x
          local.set $value
          local.get $once
          br_if 3
          local.get $value
          local.get $Wind.x
          local.get $dt
          f64.mul
          f64.const 0
          f64.add
          f64.add
          local.set $Place.x
        end
      end
      local.get $Place
      local.get $Place.x
      f64.store
      local.get $Wind
      i32.const 4
      i32.add
      local.set $Wind
      local.get $Place
      i32.const 8
      i32.add
      local.set $Place
      local.get $next
      i32.const 1
      i32.add
      local.set $next
      local.get $next
      local.get $rows
      i32.lt_u
      br_if 0
    end
  end
  local.get $next
  local.get $fuel
end
