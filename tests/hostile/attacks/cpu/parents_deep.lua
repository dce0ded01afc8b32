-- A chain of parents, each a step deeper.
---: names "attack"
local ecs = require "ecs"
local A = ecs.tag("AttackA")
ecs.on_start(function()
  local es = ecs.spawn_many(100000, A)
  for i = 2, #es do ecs.set_parent(es[i], es[i - 1]) end
end)
ecs.system "attack" { run = function()
  local n = ecs.count { A }
  if n > 0 then ecs.despawn(ecs.find { A }) end
end }
