local ecs = require "ecs"
local E = ecs.event("AttackE", { x = ecs.f64(0) })
ecs.system "attack" { on = E, each = function(e) ecs.emit(E) ecs.emit(E) end }
ecs.on_start(function() ecs.emit(E) end)
---: quiet
