-- Few that are huge among many that are small.
---: quiet
---: ticks 10
local ecs = require "ecs"
local Position, Collider = ecs.native("Position"), ecs.native("Collider")
ecs.on_start(function()
  ecs.spawn_many(50000, function(i) return Position { x = i % 1000, y = i / 1000 }, Collider { radius = 0.001, layer = 1, mask = 1 } end)
  ecs.spawn_many(2000, function(i) return Position { x = i, y = i }, Collider { radius = 1e8, layer = 1, mask = 1 } end)
end)
