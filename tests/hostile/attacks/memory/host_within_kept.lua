---: ticks 120
-- Lists of a crowd that are kept count as what the script holds.
local ecs = require "ecs"
local host = require "host"
local Position, Collider = ecs.native("Position"), ecs.native("Collider")
ecs.on_start(function() ecs.spawn_many(50000, Position { x = 1, y = 1 }, Collider { radius = 1, layer = 1 }) end)
local kept = {}
ecs.system "attack" { run = function()
  for i = 1, 20 do kept[#kept + 1] = host.within(1, 1, 5, 1) end
end }
