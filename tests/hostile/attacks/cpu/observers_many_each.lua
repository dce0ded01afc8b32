local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
for i = 1, 300 do ecs.on_set("o" .. i, A, function(e) end) end
ecs.on_start(function() ecs.spawn_many(190000, A) end)
ecs.system "attack" { run = function()
  for e in ecs.entities { A } do ecs.set(e, A { x = 2 }) end
end }
---: quiet
