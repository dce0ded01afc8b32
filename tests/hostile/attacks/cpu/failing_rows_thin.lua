local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(100000, function(i) return A { x = i } end) end)
for i = 1, 50 do ecs.system("attack" .. i, { query = { A }, each = function(e, a) if a.x % 4000 == i then error("x" .. e) end end }) end
---: names "attack"
