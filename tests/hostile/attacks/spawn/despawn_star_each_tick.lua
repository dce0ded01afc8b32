---: quiet
---: ticks 12
local ecs = require "ecs"
local T = ecs.tag "AttackT"
ecs.system "attack" { run = function(ctx)
  local top = ecs.spawn(T)
  local l = ecs.spawn_many(150000, T)
  for i = 1, #l do ecs.set_parent(l[i], top) end
  ecs.despawn(top)
end }
