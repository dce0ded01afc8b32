---: load
---: saved
local ecs = require "ecs"
for i = 1, 100000 do ecs.component("C" .. i, { x = ecs.f64(0) }) end
