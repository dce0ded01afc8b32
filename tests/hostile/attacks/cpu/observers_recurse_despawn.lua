local ecs = require "ecs"
local C = ecs.component("AttackC", { x = ecs.f64(0) })
ecs.on_despawn(function(e) ecs.spawn(C, C { x = 1 }); ecs.spawn(C) end)
ecs.on_start(function() ecs.spawn_many(50000, C) end)
ecs.system "attack" { run = function() ecs.despawn_all(C) end }
