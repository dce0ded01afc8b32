---: quiet
local ecs = require "ecs"
local T = ecs.tag "AttackT"
local list
ecs.on_start(function() list = ecs.spawn_many(1000, T) for i = 2, 1000 do ecs.set_parent(list[i], list[i - 1]) end end)
ecs.system "attack" { run = function(ctx)
  for j = 1, 100 do
    for i = 2, 1000 do ecs.set_parent(list[i], nil) end
    for i = 2, 1000 do ecs.set_parent(list[i], list[i - 1]) end
  end
end }
