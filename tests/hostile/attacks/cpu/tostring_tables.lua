-- Each table gets a number of its own when it is shown.
local ecs = require "ecs"
ecs.system "attack" { run = function() while true do tostring({}) end end }
