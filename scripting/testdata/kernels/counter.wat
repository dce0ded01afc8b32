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
    v128.const i64x2 0x3ff0000000000000 0x3ff0000000000000
    f64x2.extract_lane 0
    local.set $1
    v128.const i64x2 0x4049000000000000 0x4049000000000000
    f64x2.extract_lane 0
    local.set $50
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $Health
        f32.load
        f64.promote_f32
        local.set $Health.hp
        block
          local.get $Health.hp
          local.get $50
          f64.lt
          if
            local.get $wounded
            local.get $1
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
        br 0
      end
    end
  end
  local.get $next
  local.get $fuel
  local.get $wounded~given
  local.get $lowest~given
end
