local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(3000, A) end)
for k = 1, 100 do
  ecs.system("attack" .. k, { query = { A }, each = function(e, a) if e % 100 == k then error(("x"):rep(100000) .. e) end end })
end
---: names "attack"
