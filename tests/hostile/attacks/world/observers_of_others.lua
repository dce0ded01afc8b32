-- Thousands of observers of one component, while all that changes is another one.
---: quiet
local ecs = require "ecs"
local P, T = ecs.component("AttackP", { x = ecs.f64(0) }), ecs.component("AttackT", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(100000, P) end)
ecs.on_set(P, function(e) end)
for _ = 1, 990 do
  ecs.on_set(T, function(e) end)
  ecs.on_despawn(function(e) end)
end
ecs.system "attack" { run = function()
  for e in ecs.entities { P } do ecs.set(e, P { x = 1 }) end
end }
