---: ticks 20
local ecs = require "ecs"
local E = ecs.event("E", { x = ecs.array(ecs.u8(), 400) })
local keep, n = {}, 0
ecs.system "emit" { run = function(ctx) for i = 1, 60000 do ecs.emit(E) end end }
ecs.system "attack" { run = function(ctx)
  n = n + 1; keep[n] = ecs.events(E)
end }
