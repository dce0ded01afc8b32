---: ticks 30
local ecs = require "ecs"
ecs.handler("attack.h", function(d) for i = 1, 50 do d[#d + 1] = ("x"):rep(1000000) .. #d end end)
ecs.on_start(function() for i = 1, 1000 do ecs.every(0.001, "attack.h", { n = i }) end end)
