local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
local E = ecs.event("AttackE", { x = ecs.array(ecs.f64(), 512) })
ecs.on_start(function() ecs.spawn_many(100000, A) end)
for i = 1, 20 do ecs.system("attack" .. i, { query = { A }, each = function(e, a) ecs.emit(E) ecs.emit(E) end }) end
