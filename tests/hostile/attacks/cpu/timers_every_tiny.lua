local ecs = require "ecs"
ecs.handler("attack.h", function() end)
ecs.on_start(function() for i = 1, 9900 do ecs.every(1e-300, "attack.h") end end)
---: quiet
