---: ticks 30
---: quiet
local ecs = require "ecs"
ecs.handler("attack.h", function(d) d.n = (d.n or 0) + 1; d[d.n] = ("x"):rep(1000) end)
ecs.on_start(function() for i = 1, 9000 do pcall(ecs.every, 1e-9, "attack.h", {}) end end)
