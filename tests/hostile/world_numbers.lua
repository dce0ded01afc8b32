-- World: numbers that a field cannot hold.
local ecs = require "ecs"
local Small = ecs.component("Small", { n = ecs.u8(0) })

ecs.system "hostile" {
  run = function()
    for _, n in ipairs { -1, 256, 0.5, 0 / 0, math.huge, 1e300 } do
      assert(not pcall(Small, { n = n }), n)
    end
    ecs.spawn(Small { n = 256 }) ---! "0 to 255"
  end,
}
