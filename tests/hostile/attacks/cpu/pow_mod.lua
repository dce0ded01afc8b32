local ecs = require "ecs"
ecs.system "attack" { run = function() local x = 1e308 while true do x = (1e308 % 1e-308) ^ 0.999 + 1e308 end end }
