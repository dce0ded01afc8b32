---: quiet
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
local kept = {}
ecs.on_start(function() ecs.spawn_many(200, A) end)
ecs.system("attack", { run = function(ctx)
  for e in ecs.entities { A } do kept[#kept + 1] = ecs.get(e, A) end
end })
