-- A prefab whose children have a child each, as deep as can be: each finds out how deep
-- it is by going all the way up, when it is foreseen and when it is made.
local ecs = require "ecs"
local P = ecs.prefab("AttackP0", {})
for i = 1, 250 do P = ecs.prefab("AttackP" .. i, { children = { P } }) end
local T = ecs.tag("AttackT")
for k = 1, 4 do
  ecs.system("attack" .. k, { run = function()
    for i = 1, 790 do ecs.spawn(P) end
    ecs.count { T }
  end })
end
---: names "attack"
