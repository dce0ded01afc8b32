-- World: limit Spawned. A billion at once.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  run = function()
    ecs.spawn_many(1e9, Position) ---! "(Limits.Spawned)"
  end,
}
