local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.system "attack" { run = function()
  local k = ("1"):rep(16777000)
  for i = 1, 1e5 do pcall(A, { x = k }) end
end }
