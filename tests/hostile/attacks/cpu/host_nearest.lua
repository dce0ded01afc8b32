local ecs = require "ecs"
local host = require "host"
local Position, Collider = ecs.native("Position"), ecs.native("Collider")
ecs.on_start(function() ecs.spawn_many(100000, Position { x = 1, y = 1 }, Collider { radius = 1, layer = 1 }) end)
ecs.system "attack" { run = function() while true do host.nearest(0, 0, 1e9, 1) end end }
