-- Large events of many types wait for systems that hardly ever run.
---: ticks 120
---: peak 1200
---: names "Limits.EventBytes"
local ecs = require "ecs"
local E = {}
for i = 1, 40 do
  E[i] = ecs.event("E" .. i, { xs = ecs.array(ecs.f64(), 4096) })
  ecs.system("late" .. i, { on = E[i], every = 100000, each = function() end })
end
ecs.system "emit" { run = function(ctx) for _ = 1, 80 do ecs.emit(E[ctx.tick % 40 + 1]) end end }
