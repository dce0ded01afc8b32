-- A captured list is another one in each tick.
---: quiet
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
local list, n = {}, 0
ecs.on_start(function() ecs.spawn_many(100, A) end)
ecs.system("attack.a", { run = function() n = n + 1 list = {} for i = 1, 3000 + n % 7 do list[i] = n % 3 == 0 and "text" or i end end })
ecs.system("attack.b", { query = { A }, each = function(e, a) for i, v in ipairs(list) do a.x = a.x + v end end })
