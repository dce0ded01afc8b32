local ecs = require "ecs"
local A = ecs.tag("AttackA")
ecs.system "attack" { run = function() ecs.spawn_many(1e9, A) end }
