-- World: limit Instructions or a limit on names. Components without end.
local ecs = require "ecs"
for i = 1, 1e9 do ecs.component("C" .. i, { x = ecs.f64() }) end ---! "script ran too long"
---! file "a world has at most 512"
