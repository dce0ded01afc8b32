---: names "nests deeper"
---: load
local ecs = require "ecs"
local t = { 1 }
for i = 1, 40 do t = { t, t } end
local st = ecs.state("attack", { t = t })
