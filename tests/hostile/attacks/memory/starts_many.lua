---: load
local ecs = require "ecs"
for i = 1, 1000000 do ecs.on_start(function() end) end
