-- World: limit Declarations, or as many components as a world has. Components without end.
local ecs = require "ecs"
for i = 1, 1e9 do ecs.component("C" .. i, { x = ecs.f64() }) end ---! "(Limits.Declarations)"
---! file "a world has at most 512"
