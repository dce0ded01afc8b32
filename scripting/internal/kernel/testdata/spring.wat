  local.get $motion
  local.get $next
  i32.const 16
  i32.mul
  i32.add
  local.set $motion
  local.get $body
  local.get $next
  i32.const 40
  i32.mul
  i32.add
  local.set $body
  block
    local.get $rows
    i32.const 12
    i32.sub
    local.set $last
    block
      local.get $next
      local.get $last
      i32.gt_s
      br_if 0
      v128.const i64x2 0x0 0x0
      local.set $bits0
      v128.const i64x2 0x8000000000000000 0x8000000000000000
      local.set $bits8000000000000000
      f64.const 2.5
      f64x2.splat
      local.set $v2
      local.get $dt
      f64x2.splat
      local.set $v4
      f64.const 0.99
      f64x2.splat
      local.set $v7
      f64.const 50
      f64x2.splat
      local.set $v11
      f64.const -100
      f64x2.splat
      local.set $v14
      block
        loop
          local.get $motion
          i32.load8_u offset=191
          drop
          local.get $body
          i32.load8_u offset=455
          drop
          local.get $motion
          v128.load offset=176
          local.set $v0
          local.get $body
          v128.load offset=440
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=440
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=176
          local.get $motion
          v128.load offset=160
          local.set $v0
          local.get $body
          v128.load offset=400
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=400
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=160
          local.get $motion
          v128.load offset=144
          local.set $v0
          local.get $body
          v128.load offset=360
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=360
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=144
          local.get $motion
          v128.load offset=128
          local.set $v0
          local.get $body
          v128.load offset=320
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=320
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=128
          local.get $motion
          v128.load offset=112
          local.set $v0
          local.get $body
          v128.load offset=280
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=280
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=112
          local.get $motion
          v128.load offset=96
          local.set $v0
          local.get $body
          v128.load offset=240
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=240
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=96
          local.get $motion
          v128.load offset=80
          local.set $v0
          local.get $body
          v128.load offset=200
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=200
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=80
          local.get $motion
          v128.load offset=64
          local.set $v0
          local.get $body
          v128.load offset=160
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=160
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=64
          local.get $motion
          v128.load offset=48
          local.set $v0
          local.get $body
          v128.load offset=120
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=120
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=48
          local.get $motion
          v128.load offset=32
          local.set $v0
          local.get $body
          v128.load offset=80
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=80
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=32
          local.get $motion
          v128.load offset=16
          local.set $v0
          local.get $body
          v128.load offset=40
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store offset=40
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store offset=16
          local.get $motion
          v128.load
          local.set $v0
          local.get $body
          v128.load
          local.set $v1
          local.get $v0
          local.get $v1
          local.get $v2
          f64x2.mul
          local.get $v4
          f64x2.mul
          f64x2.sub
          local.get $v7
          f64x2.mul
          local.get $bits0
          f64x2.add
          local.set $v9
          local.get $body
          local.get $v1
          local.get $v9
          local.get $v4
          f64x2.mul
          local.get $bits0
          f64x2.add
          f64x2.add
          local.get $v14
          f64x2.pmax
          v128.store
          local.get $motion
          local.get $v9
          local.get $v11
          local.get $v9
          f64x2.lt
          local.get $bits8000000000000000
          v128.and
          v128.xor
          v128.store
          local.get $motion
          i32.const 192
          i32.add
          local.set $motion
          local.get $body
          i32.const 480
          i32.add
          local.set $body
          local.get $next
          i32.const 12
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
    v128.const i64x2 0x0 0x0
    f64x2.extract_lane 0
    local.set $0
    v128.const i64x2 0x3fefae147ae147ae 0x3fefae147ae147ae
    f64x2.extract_lane 0
    local.set $0.99
    v128.const i64x2 0x4004000000000000 0x4004000000000000
    f64x2.extract_lane 0
    local.set $2.5
    v128.const i64x2 0x4049000000000000 0x4049000000000000
    f64x2.extract_lane 0
    local.set $50
    v128.const i64x2 0xc059000000000000 0xc059000000000000
    f64x2.extract_lane 0
    local.set $-100
    block
      loop
        local.get $next
        local.get $rows
        i32.ge_u
        br_if 1
        local.get $motion
        f64.load offset=8
        local.set $motion.y
        local.get $motion
        f64.load
        local.set $motion.x
        local.get $body
        f64.load offset=8
        local.set $body.y
        local.get $body
        f64.load
        local.set $body.x
        block
          local.get $motion.x
          local.get $body.x
          local.get $2.5
          f64.mul
          local.get $dt
          f64.mul
          f64.sub
          local.get $0.99
          f64.mul
          local.get $0
          f64.add
          local.set $motion.x
          local.get $motion.y
          local.get $body.y
          local.get $2.5
          f64.mul
          local.get $dt
          f64.mul
          f64.sub
          local.get $0.99
          f64.mul
          local.get $0
          f64.add
          local.set $motion.y
          f64.const -100
          i64.reinterpret_f64
          local.get $body.x
          local.get $motion.x
          local.get $dt
          f64.mul
          local.get $0
          f64.add
          f64.add
          local.tee $held
          i64.reinterpret_f64
          local.get $held
          local.get $-100
          f64.lt
          select
          f64.reinterpret_i64
          local.set $body.x
          f64.const -100
          i64.reinterpret_f64
          local.get $body.y
          local.get $motion.y
          local.get $dt
          f64.mul
          local.get $0
          f64.add
          f64.add
          local.tee $held~2
          i64.reinterpret_f64
          local.get $held~2
          local.get $-100
          f64.lt
          select
          f64.reinterpret_i64
          local.set $body.y
          local.get $50
          local.get $motion.x
          f64.lt
          if
            local.get $motion.x
            f64.neg
            local.set $motion.x
          end
          local.get $50
          local.get $motion.y
          f64.lt
          if
            local.get $motion.y
            f64.neg
            local.set $motion.y
          end
        end
        local.get $motion
        local.get $motion.y
        f64.store offset=8
        local.get $motion
        local.get $motion.x
        f64.store
        local.get $body
        local.get $body.y
        f64.store offset=8
        local.get $body
        local.get $body.x
        f64.store
        local.get $motion
        i32.const 16
        i32.add
        local.set $motion
        local.get $body
        i32.const 40
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
