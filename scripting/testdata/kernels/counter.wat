  local.get $wounded~given
  local.set $wounded
  local.get $lowest~given
  local.set $lowest
  local.get $Health
  local.get $next
  i32.const 4
  i32.mul
  i32.add
  local.set $Health
  block
    local.get $next
    local.get $rows
    i32.ge_u
    br_if 0
    loop
      local.get $Health
      f32.load
      f64.promote_f32
      local.set $Health.hp
      block
        local.get $Health.hp
        f64.const 50
        f64.lt
        if
          local.get $wounded
          f64.const 1
          f64.add
          local.set $wounded
        end
        local.get $Health.hp
        i64.reinterpret_f64
        local.get $lowest
        i64.reinterpret_f64
        local.get $Health.hp
        local.get $lowest
        f64.lt
        select
        f64.reinterpret_i64
        local.set $lowest
      end
      local.get $wounded
      local.set $wounded~given
      local.get $lowest
      local.set $lowest~given
      local.get $Health
      i32.const 4
      i32.add
      local.set $Health
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
  local.get $wounded~given
  local.get $lowest~given
end
