local ecs = require "ecs"
ecs.handler("attack.h", function() ecs.after(0, "attack.h") ecs.after(0, "attack.h") end)
ecs.on_start(function() ecs.after(0, "attack.h") end)
---: quiet
