-- One field of many large components is set, which notes next to nothing; then somebody
-- asks, and has all of each value foreseen.
local ecs = require "ecs"
local A = ecs.component("AttackA", { n = ecs.f64(), x = ecs.array(ecs.f64(), 4095) })
local made = 0
ecs.system("attack.spawn", { run = function()
  if made >= 20000 then return end
  for i = 1, 2500 do ecs.spawn(A) end
  made = made + 2500
end })
ecs.system("attack.set", { run = function()
  for e in ecs.entities { A } do ecs.set(e, A { n = 1 }) end
  ecs.count { A }
end })
---: ticks 12
---: peak 1250
