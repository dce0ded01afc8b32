-- Searches in a crowd, far from it, and of all widths, so that each wants cells of its own.
local ecs = require "ecs"
local host = require "host"
local Position, Collider = ecs.native("Position"), ecs.native("Collider")
ecs.on_start(function() ecs.spawn_many(100000, Position { x = 1, y = 1 }, Collider { radius = 1, layer = 1 }) end)
ecs.system "attack" { run = function()
  local i = 0
  while true do
    i = i + 1
    local far = 2 ^ (i % 40 - 10)
    host.within(far, far, far, 1)
    host.count_within(1, 1, far, 1)
    host.k_nearest(-far, far, 1e6, 1/0, 1)
    host.k_nearest(-1e8, 1e8, 1, 1/0, 2)
    host.in_box(-far, -far, far, far, 1)
    host.ray(-far, 1, far, 1, 1)
    host.ray_all(-1e8, -1e8, far, far, 1)
    host.nearest(-1e8, far, 1/0, 3)
  end
end }
