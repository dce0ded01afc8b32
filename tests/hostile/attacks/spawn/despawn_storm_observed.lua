---: quiet
local ecs = require "ecs"
local C = ecs.component("AttackC", { x = ecs.array(ecs.f64(), 500) })
local kept = {}
ecs.on_remove(C, function(e, old) kept[#kept + 1] = old.x end)
ecs.system "attack" { run = function(ctx)
  ecs.spawn_many(20000, C)
  ecs.despawn_all(C)
end }
