local ecs = require "ecs"
local E = ecs.event("AttackE", { x = ecs.f64(0) })
for i = 1, 100 do ecs.system("attack" .. i, { on = E, each = function(e) end }) end
ecs.system "attack" { run = function() for i = 1, 100000 do ecs.emit(E) end end }
---: quiet
