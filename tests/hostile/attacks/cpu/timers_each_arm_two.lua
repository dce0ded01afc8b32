---: ticks 30
local ecs = require "ecs"
ecs.handler("attack.h", function(d) ecs.after(0, "attack.h", d); ecs.after(0, "attack.h", d) end)
ecs.on_start(function() ecs.after(0, "attack.h", { s = ("x"):rep(10000) }) end)
