---: copies 20
local ecs = require "ecs"
local A = ecs.component("AttackA" .. NAME, { x = ecs.array(ecs.f64(), 4096) })
ecs.system("attack" .. NAME, { run = function(ctx)
  for i = 1, 5000 do ecs.spawn(A) end
end })
