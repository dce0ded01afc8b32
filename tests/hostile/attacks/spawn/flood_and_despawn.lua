-- Slots come round, nothing stays.
---: quiet
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 64) })
ecs.system "attack" { run = function() ecs.despawn_all { A } ecs.spawn_many(100000, A) end }
---: ticks 40
