-- Tables: ranges at the edge of what an integer holds.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    assert(select("#", unpack({}, 2 ^ 62, 2 ^ 62)) == 1)
    assert(not pcall(unpack, {}, -2 ^ 63, 2 ^ 63))
    assert(not pcall(table.concat, {}, "", -2 ^ 63, 2 ^ 63))
    table.concat({}, "x", 2 ^ 62, 2 ^ 63) ---! "invalid value (nil) at index 4611686018427387904"
  end,
}
