  local.get $body
  local.get $next
  i32.const 40
  i32.mul
  i32.add
  local.set $body
  local.get $motion
  local.get $next
  i32.const 16
  i32.mul
  i32.add
  local.set $motion
  block
    local.get $rows
    i32.const 10
    i32.sub
    local.set $last
    block
      local.get $next
      local.get $last
      i32.gt_s
      br_if 0
      v128.const i64x2 0x0 0x0
      local.set $bits0
      v128.const i64x2 0x7fffffffffffffff 0x7fffffffffffffff
      local.set $bits7fffffffffffffff
      local.get $dt
      f64x2.splat
      local.set $v2
      f64.const 100
      f64x2.splat
      local.set $v6
      f64.const 5
      f64x2.splat
      local.set $v11
      block
        loop
          local.get $body
          i32.load8_u offset=375
          drop
          local.get $motion
          i32.load8_u offset=159
          drop
          local.get $body
          v128.load offset=360
          local.set $v0
          local.get $motion
          v128.load offset=144
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.set $v5
          local.get $v1
          local.get $bits7fffffffffffffff
          v128.and
          local.set $v10
          local.get $motion
          local.get $v10
          local.get $v11
          f64x2.sub
          local.get $v10
          local.get $v11
          local.get $v10
          f64x2.lt
          v128.bitselect
          v128.store offset=144
          local.get $body
          local.get $v5
          local.get $v6
          local.get $v6
          local.get $v5
          f64x2.lt
          v128.and
          f64x2.sub
          v128.store offset=360
          local.get $body
          v128.load offset=320
          local.set $v0
          local.get $motion
          v128.load offset=128
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.set $v5
          local.get $v1
          local.get $bits7fffffffffffffff
          v128.and
          local.set $v10
          local.get $motion
          local.get $v10
          local.get $v11
          f64x2.sub
          local.get $v10
          local.get $v11
          local.get $v10
          f64x2.lt
          v128.bitselect
          v128.store offset=128
          local.get $body
          local.get $v5
          local.get $v6
          local.get $v6
          local.get $v5
          f64x2.lt
          v128.and
          f64x2.sub
          v128.store offset=320
          local.get $body
          v128.load offset=280
          local.set $v0
          local.get $motion
          v128.load offset=112
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.set $v5
          local.get $v1
          local.get $bits7fffffffffffffff
          v128.and
          local.set $v10
          local.get $motion
          local.get $v10
          local.get $v11
          f64x2.sub
          local.get $v10
          local.get $v11
          local.get $v10
          f64x2.lt
          v128.bitselect
          v128.store offset=112
          local.get $body
          local.get $v5
          local.get $v6
          local.get $v6
          local.get $v5
          f64x2.lt
          v128.and
          f64x2.sub
          v128.store offset=280
          local.get $body
          v128.load offset=240
          local.set $v0
          local.get $motion
          v128.load offset=96
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.set $v5
          local.get $v1
          local.get $bits7fffffffffffffff
          v128.and
          local.set $v10
          local.get $motion
          local.get $v10
          local.get $v11
          f64x2.sub
          local.get $v10
          local.get $v11
          local.get $v10
          f64x2.lt
          v128.bitselect
          v128.store offset=96
          local.get $body
          local.get $v5
          local.get $v6
          local.get $v6
          local.get $v5
          f64x2.lt
          v128.and
          f64x2.sub
          v128.store offset=240
          local.get $body
          v128.load offset=200
          local.set $v0
          local.get $motion
          v128.load offset=80
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.set $v5
          local.get $v1
          local.get $bits7fffffffffffffff
          v128.and
          local.set $v10
          local.get $motion
          local.get $v10
          local.get $v11
          f64x2.sub
          local.get $v10
          local.get $v11
          local.get $v10
          f64x2.lt
          v128.bitselect
          v128.store offset=80
          local.get $body
          local.get $v5
          local.get $v6
          local.get $v6
          local.get $v5
          f64x2.lt
          v128.and
          f64x2.sub
          v128.store offset=200
          local.get $body
          v128.load offset=160
          local.set $v0
          local.get $motion
          v128.load offset=64
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.set $v5
          local.get $v1
          local.get $bits7fffffffffffffff
          v128.and
          local.set $v10
          local.get $motion
          local.get $v10
          local.get $v11
          f64x2.sub
          local.get $v10
          local.get $v11
          local.get $v10
          f64x2.lt
          v128.bitselect
          v128.store offset=64
          local.get $body
          local.get $v5
          local.get $v6
          local.get $v6
          local.get $v5
          f64x2.lt
          v128.and
          f64x2.sub
          v128.store offset=160
          local.get $body
          v128.load offset=120
          local.set $v0
          local.get $motion
          v128.load offset=48
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.set $v5
          local.get $v1
          local.get $bits7fffffffffffffff
          v128.and
          local.set $v10
          local.get $motion
          local.get $v10
          local.get $v11
          f64x2.sub
          local.get $v10
          local.get $v11
          local.get $v10
          f64x2.lt
          v128.bitselect
          v128.store offset=48
          local.get $body
          local.get $v5
          local.get $v6
          local.get $v6
          local.get $v5
          f64x2.lt
          v128.and
          f64x2.sub
          v128.store offset=120
          local.get $body
          v128.load offset=80
          local.set $v0
          local.get $motion
          v128.load offset=32
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.set $v5
          local.get $v1
          local.get $bits7fffffffffffffff
          v128.and
          local.set $v10
          local.get $motion
          local.get $v10
          local.get $v11
          f64x2.sub
          local.get $v10
          local.get $v11
          local.get $v10
          f64x2.lt
          v128.bitselect
          v128.store offset=32
          local.get $body
          local.get $v5
          local.get $v6
          local.get $v6
          local.get $v5
          f64x2.lt
          v128.and
          f64x2.sub
          v128.store offset=80
          local.get $body
          v128.load offset=40
          local.set $v0
          local.get $motion
          v128.load offset=16
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.set $v5
          local.get $v1
          local.get $bits7fffffffffffffff
          v128.and
          local.set $v10
          local.get $motion
          local.get $v10
          local.get $v11
          f64x2.sub
          local.get $v10
          local.get $v11
          local.get $v10
          f64x2.lt
          v128.bitselect
          v128.store offset=16
          local.get $body
          local.get $v5
          local.get $v6
          local.get $v6
          local.get $v5
          f64x2.lt
          v128.and
          f64x2.sub
          v128.store offset=40
          local.get $body
          v128.load
          local.set $v0
          local.get $motion
          v128.load
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.set $v5
          local.get $v1
          local.get $bits7fffffffffffffff
          v128.and
          local.set $v10
          local.get $motion
          local.get $v10
          local.get $v11
          f64x2.sub
          local.get $v10
          local.get $v11
          local.get $v10
          f64x2.lt
          v128.bitselect
          v128.store
          local.get $body
          local.get $v5
          local.get $v6
          local.get $v6
          local.get $v5
          f64x2.lt
          v128.and
          f64x2.sub
          v128.store
          local.get $body
          i32.const 400
          i32.add
          local.set $body
          local.get $motion
          i32.const 160
          i32.add
          local.set $motion
          local.get $next
          i32.const 10
          i32.add
          local.set $next
          local.get $next
          local.get $last
          i32.gt_s
          br_if 1
          br 0
        end
      end
    end
    v128.const i64x2 0x4014000000000000 0x4014000000000000
    f64x2.extract_lane 0
    local.set $5
    v128.const i64x2 0x4059000000000000 0x4059000000000000
    f64x2.extract_lane 0
    local.set $100
    v128.const i64x2 0x0 0x0
    f64x2.extract_lane 0
    local.set $0
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $body
        f64.load offset=8
        local.set $body.y
        local.get $body
        f64.load
        local.set $body.x
        local.get $motion
        f64.load offset=8
        local.set $motion.y
        local.get $motion
        f64.load
        local.set $motion.x
        block
          local.get $body.x
          local.get $motion.x
          local.get $dt
          f64.mul
          local.get $0
          f64.add
          f64.add
          local.set $body.x
          local.get $body.y
          local.get $motion.y
          local.get $dt
          f64.mul
          local.get $0
          f64.add
          f64.add
          local.set $body.y
          local.get $100
          local.get $body.x
          f64.lt
          if
            local.get $body.x
            local.get $100
            f64.sub
            local.set $body.x
          end
          local.get $100
          local.get $body.y
          f64.lt
          if
            local.get $body.y
            local.get $100
            f64.sub
            local.set $body.y
          end
          local.get $motion.x
          f64.abs
          local.set $motion.x
          local.get $motion.y
          f64.abs
          local.set $motion.y
          local.get $5
          local.get $motion.x
          f64.lt
          if
            local.get $motion.x
            local.get $5
            f64.sub
            local.set $motion.x
          end
          local.get $5
          local.get $motion.y
          f64.lt
          if
            local.get $motion.y
            local.get $5
            f64.sub
            local.set $motion.y
          end
        end
        local.get $body
        local.get $body.y
        f64.store offset=8
        local.get $body
        local.get $body.x
        f64.store
        local.get $motion
        local.get $motion.y
        f64.store offset=8
        local.get $motion
        local.get $motion.x
        f64.store
        local.get $body
        i32.const 40
        i32.add
        local.set $body
        local.get $motion
        i32.const 16
        i32.add
        local.set $motion
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
