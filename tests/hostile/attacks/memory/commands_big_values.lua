local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
ecs.system("attack", { run = function(ctx)
  for i = 1, 1e6 do ecs.spawn(A) end
end })
