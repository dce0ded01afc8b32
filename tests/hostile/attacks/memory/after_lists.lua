---: load
local ecs = require "ecs"
local names = {}
for i = 1, 2000 do names[i] = "s" .. i .. "?" end
for i = 1, 2000 do ecs.system("s" .. i, { run = function() end, before = names }) end
