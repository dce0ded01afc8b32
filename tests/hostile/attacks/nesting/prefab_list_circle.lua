---: names "attack.lua:7"
---: load
local ecs = require "ecs"
local A = ecs.tag("AttackA")
local t = { A }
t[2] = t
ecs.prefab("P", t)
