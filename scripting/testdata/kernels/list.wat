  local.get $Frame
  local.get $next
  i32.const 136
  i32.mul
  i32.add
  local.set $Frame
  f64.const 1
  i32.trunc_sat_f64_u
  i32.const 1
  i32.sub
  local.tee $item
  i32.const 0
  local.get $item
  i32.const 2
  i32.lt_u
  select
  i32.const 8
  i32.mul
  f64.load offset=…
  local.set $once
  f64.const 1
  i32.trunc_sat_f64_u
  i32.const 1
  i32.sub
  local.tee $item
  i32.const 0
  local.get $item
  i32.const 2
  i32.lt_u
  select
  i32.const 8
  i32.mul
  f64.load offset=…
  local.set $once~2
  f64.const 1
  i32.trunc_sat_f64_u
  i32.const 1
  i32.sub
  local.tee $item
  i32.const 0
  local.get $item
  i32.const 20
  i32.lt_u
  select
  i32.const 8
  i32.mul
  f64.load offset=…
  local.set $once~3
  f64.const 2
  i32.trunc_sat_f64_u
  i32.const 1
  i32.sub
  local.tee $item
  i32.const 0
  local.get $item
  i32.const 2
  i32.lt_u
  select
  i32.const 8
  i32.mul
  f64.load offset=…
  local.set $once~4
  f64.const 2
  i32.trunc_sat_f64_u
  i32.const 1
  i32.sub
  local.tee $item
  i32.const 0
  local.get $item
  i32.const 2
  i32.lt_u
  select
  i32.const 8
  i32.mul
  f64.load offset=…
  local.set $once~5
  f64.const 2
  i32.trunc_sat_f64_u
  i32.const 1
  i32.sub
  local.tee $item
  i32.const 0
  local.get $item
  i32.const 20
  i32.lt_u
  select
  i32.const 8
  i32.mul
  f64.load offset=…
  local.set $once~6
  block
    v128.const i64x2 0x3ff0000000000000 0x3ff0000000000000
    f64x2.extract_lane 0
    local.set $1
    v128.const i64x2 0x0 0x0
    f64x2.extract_lane 0
    local.set $0
    v128.const i64x2 0x4010000000000000 0x4010000000000000
    f64x2.extract_lane 0
    local.set $4
    v128.const i64x2 0x4034000000000000 0x4034000000000000
    f64x2.extract_lane 0
    local.set $20
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $Frame
        i32.load8_u offset=124
        f64.convert_i32_s
        local.set $Frame.mode
        local.get $Frame
        f64.load offset=8
        local.set $Frame.at.y
        local.get $Frame
        f64.load
        local.set $Frame.at.x
        block
          local.get $Frame.at.x
          local.get $once
          f64.lt
          if
            local.get $once~2
            local.set $value
            local.get $value
            local.get $once~3
            f64.mul
            local.get $0
            f64.add
            local.set $Frame.at.y
          end
          local.get $Frame.at.x
          local.get $once~4
          f64.lt
          if
            local.get $once~5
            local.set $value
            local.get $value
            local.get $once~6
            f64.mul
            local.get $0
            f64.add
            local.set $Frame.at.y
          end
          local.get $Frame.mode
          local.get $1
          f64.eq
          if
            local.get $Frame
            i32.load8_u offset=40
            f64.convert_i32_s
            local.set $Frame.small[1]
            local.get $Frame
            i32.load offset=48
            f64.convert_i32_s
            local.set $Frame.long[2]
            local.get $Frame.small[1]
            local.set $index~3
            local.get $index~3
            i64.reinterpret_f64
            f64.const 1
            i64.reinterpret_f64
            local.get $1
            local.get $index~3
            f64.le
            local.get $index~3
            local.get $20
            f64.le
            i32.and
            local.get $index~3
            f64.floor
            local.get $index~3
            f64.eq
            i32.and
            local.tee $shared
            select
            f64.reinterpret_i64
            local.set $inside
            local.get $Frame
            local.get $inside
            local.get $1
            f64.sub
            local.get $4
            f64.mul
            i32.trunc_sat_f64_u
            i32.add
            i32.load offset=44
            f64.convert_i32_s
            local.set $long
            local.get $long
            i64.reinterpret_f64
            f64.const 0
            i64.reinterpret_f64
            local.get $shared
            select
            f64.reinterpret_i64
            local.get $Frame.long[2]
            f64.add
            local.set $Frame.at.x
            br 1
          end
          br 3
        end
        local.get $Frame
        local.get $Frame.at.y
        f64.store offset=8
        local.get $Frame
        local.get $Frame.at.x
        f64.store
        local.get $Frame
        i32.const 136
        i32.add
        local.set $Frame
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
