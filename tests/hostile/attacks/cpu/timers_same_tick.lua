local ecs = require "ecs"
ecs.handler("attack.h", function() local n = 0 for i = 1, 100000 do n = n + i end end)
ecs.on_start(function() for i = 1, 9900 do ecs.after(0.05, "attack.h") end end)
---: quiet
