local ecs = require "ecs"
local A, B = ecs.tag("AttackA"), ecs.tag("AttackB")
ecs.on_add(A, function(e) ecs.add(e, B) ecs.remove(e, A) end)
ecs.on_add(B, function(e) ecs.add(e, A) ecs.remove(e, B) end)
ecs.on_start(function() ecs.spawn_many(10000, A) end)
---: quiet
