---: load
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
for i = 1, 100000 do ecs.kernel("k" .. i, { A }, function(e, a) a.x = a.x + 1 end) end
