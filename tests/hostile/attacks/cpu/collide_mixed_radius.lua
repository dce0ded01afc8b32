---: quiet
---: ticks 10
local ecs = require "ecs"
local Position, Collider = ecs.native("Position"), ecs.native("Collider")
ecs.on_start(function()
  ecs.spawn_many(100000, function(i) return Position { x = i % 300, y = math.floor(i / 300) }, Collider { radius = 2 ^ (i % 60 - 30), layer = 1, mask = 1 } end)
end)
