local ecs = require "ecs"
local host = require "host"
local Position, Collider = ecs.native("Position"), ecs.native("Collider")
ecs.on_start(function() ecs.spawn_many(1000, function(i) return Position { x = i * 1e5, y = i * 1e5 }, Collider { radius = 1, layer = 1 } end) end)
ecs.system "attack" { run = function() while true do host.nearest(-1e8, -1e8, 1e9, 2) host.nearest(0/0, 0, 1/0, 1) end end }
