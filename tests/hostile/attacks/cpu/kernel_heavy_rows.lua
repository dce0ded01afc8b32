local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(190000, A) end)
ecs.system "attack" { query = { A }, each = function(e, a)
  for i = 1, 1000 do a.x = math.sin(a.x) + math.exp(-a.x) + a.x ^ 0.3 end
end }
