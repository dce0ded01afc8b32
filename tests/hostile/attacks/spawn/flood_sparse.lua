local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 512) }, { sparse = true })
ecs.system "attack" { run = function() ecs.spawn_many(100000, A) end }
---: ticks 25
