---: load
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
for i = 1, 20000 do ecs.system("k" .. i, { query = { A }, each = function(e, a) a.x = a.x + 1 end }) end
