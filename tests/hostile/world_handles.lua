-- World: numbers that are no entities.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  run = function()
    for _, e in ipairs { -1, 0.5, 2 ^ 53, 2 ^ 63, 1e300, 0 / 0, math.huge, -math.huge, 4294967296, 2 ^ 52 } do
      pcall(ecs.despawn, e)
      pcall(ecs.get, e, Position)
      pcall(ecs.set, e, Position { x = 1 })
      pcall(ecs.set_parent, e, e)
      pcall(ecs.children, e)
    end
    ecs.despawn(2 ^ 53) ---! "ecs.despawn"
  end,
}
