local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("x"):rep(8000000)
  for i = 1, 1e6 do pcall(error, s) end
end }
