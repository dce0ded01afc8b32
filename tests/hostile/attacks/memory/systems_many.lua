---: load
local ecs = require "ecs"
for i = 1, 1000000 do ecs.system("s" .. i, { run = function() end }) end
