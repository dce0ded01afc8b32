---: quiet
---: ticks 10
local ecs = require "ecs"
local Position, Collider = ecs.native("Position"), ecs.native("Collider")
ecs.on_start(function()
  ecs.spawn_many(100000, function(i) return Position { x = i * 9000, y = i * 9000 }, Collider { radius = 1e-30, layer = 1, mask = 1 } end)
end)
