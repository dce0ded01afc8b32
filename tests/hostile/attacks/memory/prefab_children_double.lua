---: names "attack.lua:\d+"
---: load
local ecs = require "ecs"
local A = ecs.tag("AttackTag")
local P = ecs.prefab("P0", { A })
for i = 1, 60 do P = ecs.prefab("P" .. i, { A, children = { P, P } }) end
