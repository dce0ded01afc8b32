-- As many as is allowed, in each tick, by twenty systems.
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0), y = ecs.f64(0) })
for i = 1, 20 do ecs.system("attack" .. i, { run = function() ecs.spawn_many(199999, A) end }) end
---: ticks 25
