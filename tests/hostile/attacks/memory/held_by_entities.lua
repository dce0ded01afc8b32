---: ticks 40
local ecs = require "ecs"
local A = ecs.component("A", { x = ecs.f64(0) })
local keep, n = {}, 0
ecs.on_start(function() ecs.spawn_many(100000, A) end)
ecs.system "attack" { run = function(ctx)
  for i = 1, 300 do n = n + 1; keep[n] = ecs.entities { A } end
end }
