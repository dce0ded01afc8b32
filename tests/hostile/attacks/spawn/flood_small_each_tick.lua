---: names "attack.lua:\d+:\d+: .*Options.MaxBytes"
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 512) })
for i = 1, 20 do ecs.system("attack" .. i, { run = function() for i = 1, 3000 do ecs.spawn(A) end end }) end
---: ticks 60
