local ecs = require "ecs"
local A = ecs.component("A", { x = ecs.f64(0) })
ecs.system "attack" { run = function(ctx)
  local p = ecs.spawn(A)
  for i = 1, 100000 do ecs.set_parent(ecs.spawn(A), p) end
  local t
  while true do t = ecs.children(p) end
end }
