---: names "more than 512 components"
---: load
local ecs = require "ecs"
local A = ecs.tag("AttackA")
local q = {}
for i = 1, 200000 do q[i] = A end
for i = 1, 100 do ecs.system("s" .. i, { query = q, each = function() end }) end
