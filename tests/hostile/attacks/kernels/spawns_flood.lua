local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(100000, A) end)
for i = 1, 20 do ecs.system("attack" .. i, { query = { A }, each = function(e, a) ecs.spawn(A) ecs.spawn(A) end }) end
