local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("x"):rep(16000000)
  for i = 1, 1e7 do ("%.1s"):format(s) end
end }
