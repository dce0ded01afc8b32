---: copies 20
local ecs = require "ecs"
local A = ecs.component("AttackA" .. NAME, { x = ecs.array(ecs.f64(), 64) })
ecs.system("attack" .. NAME, { run = function() ecs.spawn_many(39999, A) end })
---: ticks 25
