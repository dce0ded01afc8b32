local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(10, A) end)
ecs.system "attack" { query = { A }, each = function(e, a)
  while a.x < 1 do a.x = a.x * 0.5 end
end }
