local ecs = require "ecs"
local f = {} for i = 1, 4000 do f["f" .. i] = ecs.f64(0) end
local A = ecs.component("A", f)
local e
ecs.on_start(function() e = ecs.spawn(A) end)
ecs.system "attack" { run = function(ctx)
  local x
  while true do x = ecs.get(e, A, "f999") x = ecs.get(e, A, "f999") x = ecs.get(e, A, "f999") x = ecs.get(e, A, "f999") end
end }
