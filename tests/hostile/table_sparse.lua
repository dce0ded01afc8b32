-- Tables: an index far out is a key like any other.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    for i = 18, 60 do t[2 ^ i] = i end
    t[6e7], t[1e300], t[-1e300], t[math.huge] = 1, 2, 3, 4
    assert(#t < 262144)
    t[0 / 0] = 1 ---! "table index is NaN"
  end,
}
