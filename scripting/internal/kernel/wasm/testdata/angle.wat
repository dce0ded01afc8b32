  local.get $body
  local.get $next
  i32.const 64
  i32.mul
  i32.add
  local.set $body
  block
    local.get $rows
    i32.const 6
    i32.sub
    local.set $last
    block
      local.get $next
      local.get $last
      i32.gt_s
      br_if 0
      v128.const i64x2 0x0 0x0
      local.set $bits0
      block
        loop
          local.get $body
          i32.load8_u offset=335
          drop
          local.get $body
          v128.load64_zero offset=264
          local.get $body
          f64.load offset=328
          f64x2.replace_lane 1
          local.set $v4
          local.get $body
          v128.load64_zero offset=256
          local.get $body
          f64.load offset=320
          f64x2.replace_lane 1
          local.set $v0
          local.get $v0
          call $sincos.two
          local.set $v1
          local.set $v2
          local.get $v1
          local.get $v2
          f64x2.sub
          local.set $v3
          local.get $v4
          local.get $v1
          f64x2.mul
          local.get $v4
          local.get $bits0
          local.get $v4
          f64x2.lt
          v128.bitselect
          local.set $v8
          local.get $body
          local.get $v8
          f64x2.extract_lane 0
          f64.store offset=264
          local.get $body
          local.get $v8
          f64x2.extract_lane 1
          f64.store offset=328
          local.get $body
          local.get $v3
          f64x2.extract_lane 0
          f64.store offset=256
          local.get $body
          local.get $v3
          f64x2.extract_lane 1
          f64.store offset=320
          local.get $body
          v128.load64_zero offset=136
          local.get $body
          f64.load offset=200
          f64x2.replace_lane 1
          local.set $v4
          local.get $body
          v128.load64_zero offset=128
          local.get $body
          f64.load offset=192
          f64x2.replace_lane 1
          local.set $v0
          local.get $v0
          call $sincos.two
          local.set $v1
          local.set $v2
          local.get $v1
          local.get $v2
          f64x2.sub
          local.set $v3
          local.get $v4
          local.get $v1
          f64x2.mul
          local.get $v4
          local.get $bits0
          local.get $v4
          f64x2.lt
          v128.bitselect
          local.set $v8
          local.get $body
          local.get $v8
          f64x2.extract_lane 0
          f64.store offset=136
          local.get $body
          local.get $v8
          f64x2.extract_lane 1
          f64.store offset=200
          local.get $body
          local.get $v3
          f64x2.extract_lane 0
          f64.store offset=128
          local.get $body
          local.get $v3
          f64x2.extract_lane 1
          f64.store offset=192
          local.get $body
          v128.load64_zero offset=8
          local.get $body
          f64.load offset=72
          f64x2.replace_lane 1
          local.set $v4
          local.get $body
          v128.load64_zero
          local.get $body
          f64.load offset=64
          f64x2.replace_lane 1
          local.set $v0
          local.get $v0
          call $sincos.two
          local.set $v1
          local.set $v2
          local.get $v1
          local.get $v2
          f64x2.sub
          local.set $v3
          local.get $v4
          local.get $v1
          f64x2.mul
          local.get $v4
          local.get $bits0
          local.get $v4
          f64x2.lt
          v128.bitselect
          local.set $v8
          local.get $body
          local.get $v8
          f64x2.extract_lane 0
          f64.store offset=8
          local.get $body
          local.get $v8
          f64x2.extract_lane 1
          f64.store offset=72
          local.get $body
          local.get $v3
          f64x2.extract_lane 0
          f64.store
          local.get $body
          local.get $v3
          f64x2.extract_lane 1
          f64.store offset=64
          local.get $body
          i32.const 384
          i32.add
          local.set $body
          local.get $next
          i32.const 6
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
        block
          local.get $body.x
          call $sincos
          local.set $cosine
          local.set $sine
          local.get $cosine
          local.get $sine
          f64.sub
          local.set $body.x
          local.get $0
          local.get $body.y
          f64.lt
          if
            local.get $body.y
            local.get $cosine
            f64.mul
            local.set $body.y
          end
        end
        local.get $body
        local.get $body.y
        f64.store offset=8
        local.get $body
        local.get $body.x
        f64.store
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
