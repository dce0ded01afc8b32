local ecs = require "ecs"
local A = ecs.tag("AttackA")
ecs.on_spawn(function(e) ecs.spawn(A) ecs.spawn(A) end)
ecs.on_start(function() ecs.spawn(A) end)
---: quiet
