local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
local B = ecs.tag("AttackB")
ecs.on_start(function() for i = 1, 5 do ecs.spawn_many(1000, A) end end)
ecs.system "attack" { run = function()
  while true do for e in ecs.entities { A } do ecs.add(e, B) ecs.remove(e, B) end end
end }
