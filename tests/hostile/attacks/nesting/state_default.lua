---: names "nests deeper"
---: load
local ecs = require "ecs"
local t = {}
for i = 1, 240000 do t = { t } end
ecs.state("attack", t)
