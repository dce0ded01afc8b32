local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("x"):rep(16000000)
  for i = 1, 1e6 do pcall(ecs.count, { [s] = 1 }) pcall(ecs.count, { s }) pcall(ecs.count, s) end
end }
