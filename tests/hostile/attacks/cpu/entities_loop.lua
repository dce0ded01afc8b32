local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(190000, A) end)
ecs.system "attack" { run = function()
  while true do for e in ecs.entities { A } do end end
end }
