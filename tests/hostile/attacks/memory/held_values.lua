local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
local kept = {}
ecs.system("attack", { run = function(ctx)
  for i = 1, 5000 do kept[#kept + 1] = A {} end
end })
