---: quiet
local ecs = require "ecs"
local T = ecs.tag "AttackT"
local C = ecs.component("AttackC", { x = ecs.f64(0) })
for i = 1, 200 do
  ecs.on_add(C, function(e) end) ecs.on_remove(C, function(e) end) ecs.on_set(C, function(e) end)
  ecs.on_spawn(function(e) end) ecs.on_despawn(function(e) end)
end
ecs.system "attack" { run = function()
  ecs.spawn_many(100000, C)
  ecs.despawn_all(C)
end }
