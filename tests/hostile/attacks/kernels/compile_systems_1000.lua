---: load
---: quiet
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0), y = ecs.f64(0) })
for i = 1, 1000 do
  ecs.system("attack" .. i, { query = { A }, each = function(e, a) a.x = a.x + i a.y = math.max(a.x, a.y) end })
end
