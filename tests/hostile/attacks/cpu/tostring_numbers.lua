local ecs = require "ecs"
ecs.system "attack" { run = function() while true do local a = tostring(1 / 3) .. 2 ^ 1000 end end }
