---: load
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
local kept = {}
for i = 1, 200000 do kept[i] = A {} end
