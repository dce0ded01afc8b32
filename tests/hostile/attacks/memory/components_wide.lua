---: load
local ecs = require "ecs"
local fields = {}
for i = 1, 4000 do fields["f" .. i] = ecs.array(ecs.f64(), 4096) end
for i = 1, 1000 do ecs.component("C" .. i, fields) end
