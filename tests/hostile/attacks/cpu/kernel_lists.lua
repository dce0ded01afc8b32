local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
local list = {}
for i = 1, 3800 do list[i] = i end
local k = ecs.kernel("attack.k", { A }, function(e, a) for i, v in ipairs(list) do a.x = a.x + v end end)
ecs.on_start(function() ecs.spawn(A) end)
ecs.system "attack" { run = function() while true do k() end end }
