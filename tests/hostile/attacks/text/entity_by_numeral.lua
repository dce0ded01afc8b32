local ecs = require "ecs"
ecs.system "attack" { run = function()
  local k = ("1"):rep(16777000)
  for i = 1, 1e6 do pcall(ecs.alive, k) end
end }
