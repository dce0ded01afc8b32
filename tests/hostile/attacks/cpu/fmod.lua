local ecs = require "ecs"
ecs.system "attack" { run = function() while true do math.fmod(1e308, 1e-308) math.frexp(5e-324) math.ldexp(1, 1e300) end end }
