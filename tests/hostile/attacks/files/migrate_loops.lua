---: load
---: saved
---: quiet
local ecs = require "ecs"
ecs.component("AttackA", { x = ecs.f64(0) }, { version = 2, migrate = function() while true do end end })
