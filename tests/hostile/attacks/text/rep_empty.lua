local ecs = require "ecs"
ecs.system "attack" { run = function()
  for i = 1, 1e6 do (""):rep(1e15) ("x"):rep(-1e15) end
end }
---: quiet
