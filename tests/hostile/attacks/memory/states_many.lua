---: load
local ecs = require "ecs"
for i = 1, 1000000 do ecs.state("s" .. i, { 1, 2, 3, { 4 } }) end
