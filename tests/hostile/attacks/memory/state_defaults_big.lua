---: quiet
---: load
local ecs = require "ecs"
local d = {}
for i = 1, 15 do d[i] = ("x"):rep(16000000) .. i end
for i = 1, 100 do ecs.state("s" .. i, d) end
