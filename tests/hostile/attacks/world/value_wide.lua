local ecs = require "ecs"
local f = {} for i = 1, 4000 do f["f" .. i] = ecs.f64(0) end
local A = ecs.component("A", f)
local e
ecs.on_start(function() e = ecs.spawn(A) end)
ecs.system "attack" { run = function(ctx)
  while true do ecs.update(e, A, function(h) end) end
end }
