local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0), y = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(190000, A) end)
ecs.system "attack" { query = { A }, batch = function(b)
  local x, y = b:col(A, "x"), b:col(A, "y")
  while true do x:madd(y, 2):div(3):clamp(0, 1) x:sum() end
end }
