---: names "attack|arena|memory"
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
ecs.system("attack", { run = function(ctx)
  ecs.spawn_many(5000, A)
end })
