local ecs = require "ecs"
ecs.system "attack" { run = function() while true do tostring(function() end) end end }
