local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.system "attack" { run = function()
  local k = ("k"):rep(16777000)
  local e = ecs.spawn(A)
  for i = 1, 1e5 do pcall(ecs.get, e, A, k) end
end }
