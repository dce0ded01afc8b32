local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(100000, A) end)
for i = 1, 50 do
  ecs.system("attack" .. i, { query = { A }, each = function(e, a)
    for i = 1, 20 do a.x = math.sin(a.x) + math.pow(a.x, 0.3) end
  end })
end
---: quiet
