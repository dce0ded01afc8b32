local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("abc/"):rep(4000000)
  for i = 1, 1e6 do pcall(require, s) end
end }
