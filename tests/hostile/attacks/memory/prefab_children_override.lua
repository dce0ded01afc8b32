---: names "attack.lua:\d+"
---: load
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
local P = ecs.prefab("P0", { A })
for i = 1, 60 do P = ecs.prefab("P" .. i, { children = { { P, A }, { P, A } } }) end
