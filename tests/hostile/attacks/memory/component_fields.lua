---: names "attack.lua:\d+:\d+: .*more than 4,096 fields"
---: load
local ecs = require "ecs"
local fields = {}
for i = 1, 200000 do fields["f" .. i] = ecs.f64(0) end
ecs.component("C", fields)
