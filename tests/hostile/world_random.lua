-- World: random numbers from ranges that are none.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for _, range in ipairs { { 0, -1 }, { 1, 2 ^ 60 }, { 0 / 0, 1 }, { 0.5, 1 }, { -math.huge, math.huge } } do
      assert(not pcall(ecs.random, range[1], range[2]))
    end
    ecs.random(0) ---! "a whole number from 1 up"
  end,
}
