---: quiet
---: ticks 10
local ecs = require "ecs"
local Position, Collider = ecs.native("Position"), ecs.native("Collider")
ecs.on_start(function() ecs.spawn_many(100000, Position { x = 1, y = 1 }, Collider { radius = 1, layer = 1, mask = 2 }) end)
