---: names "attack.lua:7"
---: load
local ecs = require "ecs"
local A = ecs.tag("AttackA")
local t = { A }
t.children = { t }
ecs.prefab("P", t)
