---: names "attack.lua:\d+"
---: load
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
for i = 1, 1000000 do ecs.prefab("P" .. i, { A }) end
