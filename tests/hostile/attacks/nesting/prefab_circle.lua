---: names "attack.lua:6"
---: load
local ecs = require "ecs"
local A = ecs.tag("AttackA")
local t = { A }
t.children = { t }
ecs.prefab("P", t)
