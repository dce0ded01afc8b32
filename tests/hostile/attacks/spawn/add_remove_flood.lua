local ecs = require "ecs"
local A, B = ecs.tag("AttackA"), ecs.component("AttackB", { x = ecs.array(ecs.f64(), 4096) })
ecs.on_start(function() ecs.spawn(A) end)
ecs.system "attack" { run = function()
  local e = ecs.find { A }
  while true do ecs.add(e, B) ecs.remove(e, B) end
end }
