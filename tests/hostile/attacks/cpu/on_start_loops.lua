local ecs = require "ecs"
for i = 1, 50 do ecs.on_start(function() while true do end end) end
