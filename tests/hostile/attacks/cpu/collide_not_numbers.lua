---: quiet
---: ticks 10
local ecs = require "ecs"
local Position, Collider, Velocity = ecs.native("Position"), ecs.native("Collider"), ecs.native("Velocity")
ecs.on_start(function()
  ecs.spawn_many(50000, function(i) return Position { x = 0/0, y = 1/0 }, Velocity { x = 1e308, y = -1/0 }, Collider { radius = i % 2 == 0 and 1/0 or 0/0, layer = 1, mask = 1 } end)
end)
