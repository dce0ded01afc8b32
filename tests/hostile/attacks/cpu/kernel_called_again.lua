local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(100000, A) end)
local k = ecs.kernel("attack.k", { A }, function(e, a) a.x = a.x + 1 end)
ecs.system "attack" { run = function() while true do k() end end }
