-- Host systems have no limit; a mistake must not stop the game.
---: quiet
local ecs = require "ecs"
local Position, Collider = ecs.native("Position"), ecs.native("Collider")
ecs.on_start(function() ecs.spawn_many(20000, Position { x = 1, y = 1 }, Collider { radius = 1, layer = 1, mask = 1 }) end)
