local ecs = require "ecs"
local A = ecs.component("A", { x = ecs.f64(0) })
local top, bottom
ecs.on_start(function()
  top = ecs.spawn(A) bottom = top
  for i = 1, 1000 do local e = ecs.spawn(A) ecs.set_parent(e, bottom) bottom = e end
end)
ecs.system "attack" { run = function(ctx)
  local e = ecs.spawn(A)
  for i = 1, 900000 do ecs.set_parent(e, bottom) end
end }
