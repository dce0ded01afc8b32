local ecs = require "ecs"
ecs.system "attack" { run = function()
  for i = 1, 1e6 do pcall(string.rep, ("x"):rep(1000), 1e300) end
end }
---: quiet
