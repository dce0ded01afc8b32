local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.enum("a", "b") })
ecs.system "attack" { run = function()
  local k = ("k"):rep(16777000)
  for i = 1, 1e5 do pcall(A, { x = k }) end
end }
