---: names "attack.lua:\d+"
---: load
---: saved
local ecs = require "ecs"
local A = ecs.tag("AttackTag")
local P = ecs.prefab("P0", { A })
for i = 1, 60 do P = ecs.prefab("P" .. i, { P, P }) end
