local ecs = require "ecs"
local C = ecs.component("AttackC", { x = ecs.array(ecs.f64(), 100) })
local P = {}
for i = 1, 3000 do P[i] = ecs.prefab("attack" .. i, { C, children = { { C }, { C } } }) end
ecs.system "attack" { run = function()
  for i = 1, 3000 do for j = 1, 60 do ecs.spawn(P[i]) end end
end }
