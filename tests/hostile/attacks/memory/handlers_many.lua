---: load
local ecs = require "ecs"
for i = 1, 1000000 do ecs.handler("h" .. i, function() end) end
