local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
local B = ecs.component("AttackB", { x = ecs.f64(0) }, { sparse = true })
ecs.on_start(function() ecs.spawn_many(190000, A, B) end)
ecs.system "attack" { run = function()
  while true do ecs.count { A, B } ecs.find { A, without = { B } } end
end }
