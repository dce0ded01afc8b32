---: quiet
---: ticks 10
local ecs = require "ecs"
local Position, Collider = ecs.native("Position"), ecs.native("Collider")
ecs.on_start(function()
  ecs.spawn_many(100000, function(i) return Position { x = i * 0.001, y = 0 }, Collider { radius = 1, layer = 1, mask = 1 } end)
end)
