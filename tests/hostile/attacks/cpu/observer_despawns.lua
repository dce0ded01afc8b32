local ecs = require "ecs"
local A = ecs.tag("AttackA")
ecs.on_despawn(function(e) local a = ecs.spawn(A) ecs.despawn(a) ecs.spawn(A) end)
ecs.on_start(function() ecs.spawn_many(1000, A) end)
ecs.system "attack" { run = function() ecs.despawn_all { A } end }
---: quiet
