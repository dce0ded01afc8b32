local ecs = require "ecs"
local st = ecs.state("attack", {})
ecs.system "attack" { run = function(ctx) for i = 1, 100000 do st["k" .. ctx.tick .. "_" .. i] = i end end }
---: ticks 40
