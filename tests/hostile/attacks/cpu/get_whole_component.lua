local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
ecs.on_start(function() ecs.spawn(A) end)
ecs.system "attack" { run = function()
  local e = ecs.find { A }
  while true do local v = ecs.get(e, A) end
end }
