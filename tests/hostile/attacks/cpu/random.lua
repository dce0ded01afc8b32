local ecs = require "ecs"
ecs.system "attack" { run = function() while true do math.random() ecs.random(1, 2) end end }
