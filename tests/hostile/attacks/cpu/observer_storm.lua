local ecs = require "ecs"
local A, B = ecs.component("AttackA", { x = ecs.f64(0) }), ecs.component("AttackB", { x = ecs.f64(0) })
ecs.on_set(A, function(e) ecs.set(e, B { x = 1 }) end)
ecs.on_set(B, function(e) ecs.set(e, A { x = 1 }) end)
ecs.on_start(function() ecs.spawn_many(100000, A, B) end)
ecs.system "attack" { run = function()
  for e in ecs.entities { A } do ecs.set(e, A { x = 2 }) end
end }
---: quiet
