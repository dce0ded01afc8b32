---: names "from 0.001 up"
local ecs = require "ecs"
ecs.handler("attack.h", function() for i = 1, 100 do ecs.every(1e-9, "attack.h") end end)
ecs.on_start(function() ecs.every(1e-9, "attack.h") end)
