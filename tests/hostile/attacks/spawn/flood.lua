local ecs = require "ecs"
local A = ecs.tag("AttackA")
ecs.system "attack" { run = function() while true do ecs.spawn(A) end end }
