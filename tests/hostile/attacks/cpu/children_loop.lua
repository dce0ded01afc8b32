local ecs = require "ecs"
local A, B = ecs.tag("AttackA"), ecs.tag("AttackB")
ecs.on_start(function()
  local p = ecs.spawn(B)
  for i, e in ipairs(ecs.spawn_many(100000, A)) do ecs.set_parent(e, p) end
end)
ecs.system "attack" { run = function()
  local p = ecs.find { B }
  while true do ecs.children(p) end
end }
