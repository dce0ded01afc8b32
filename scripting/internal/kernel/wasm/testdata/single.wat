  local.get $count~given
  local.set $count
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
        f32.load offset=20
        local.set $body.s
        local.get $body
        f32.load offset=16
        local.set $body.r
        local.get $body
        f64.load
        local.set $body.x
        block
          local.get $count
          local.get $body.x
          f64.add
          local.set $count
          local.get $body.r
          f32.const 1.5
          f32.mul
          local.get $body.s
          f64.promote_f32
          local.get $body.x
          f64.add
          f32.demote_f64
          f32.add
          local.set $body.r
        end
        local.get $body
        local.get $body.r
        f32.store offset=16
        local.get $count
        local.set $count~given
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
  local.get $count~given
end
