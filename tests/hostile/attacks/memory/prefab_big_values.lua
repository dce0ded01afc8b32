---: names "attack.lua:\d+"
---: load
local ecs = require "ecs"
local As = {}
for i = 1, 60 do As[i] = ecs.component("Big" .. i, { x = ecs.array(ecs.f64(), 4096) }) end
for i = 1, 3000 do ecs.prefab("P" .. i, { unpack(As) }) end
