---: load
local ecs = require "ecs"
for i = 1, 1000000 do ecs.event("E" .. i, { x = ecs.array(ecs.f64(), 4096) }) end
