local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
ecs.on_start(function() ecs.spawn(A) end)
ecs.system("attack", { run = function(ctx)
  local e = ecs.find { A }
  for i = 1, 1e6 do ecs.set(e, A { x = { i } }) end
end })
