local ecs = require "ecs"
local T = {}
for i = 1, 60 do T[i] = ecs.tag("AttackT" .. i) end
ecs.on_start(function() ecs.spawn_many(1000, T[1]) end)
ecs.system "attack" { run = function()
  for e in ecs.entities { any = T } do
    for k = 1, 20 do local t = T[ecs.random(2, 60)] if ecs.has(e, t) then ecs.remove(e, t) else ecs.add(e, t) end end
  end
end }
