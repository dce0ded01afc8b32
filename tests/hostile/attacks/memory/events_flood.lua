local ecs = require "ecs"
local E = ecs.event("AttackE", { x = ecs.array(ecs.f64(), 4096) })
ecs.system("attack", { run = function(ctx)
  for i = 1, 1e6 do ecs.emit(E) end
end })
