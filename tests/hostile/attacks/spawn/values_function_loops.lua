local ecs = require "ecs"
local A = ecs.tag("AttackA")
ecs.system "attack" { run = function() ecs.spawn_many(10, A, function(i) while true do end end) end }
