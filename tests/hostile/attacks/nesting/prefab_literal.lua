---: load
---: names "attack"
local ecs = require "ecs"
local A = ecs.tag("AttackA")
local t = { A }
for i = 1, 200000 do t = { A, children = { t } } end
ecs.prefab("P", t)
