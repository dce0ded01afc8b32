---: names "attack.lua:\d+"
---: load
local ecs = require "ecs"
local A = ecs.tag("AttackTag")
local list = {}
for i = 1, 9999 do list[i] = A end
for i = 1, 10000 do ecs.prefab("P" .. i, list) end
