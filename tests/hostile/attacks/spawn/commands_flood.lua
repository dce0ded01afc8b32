local ecs = require "ecs"
local A = ecs.tag("AttackA")
ecs.on_start(function() ecs.spawn(A) end)
ecs.system "attack" { run = function()
  local e = ecs.find { A }
  while true do ecs.set_parent(e, nil) end
end }
