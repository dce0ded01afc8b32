local ecs = require "ecs"
ecs.system "attack" { run = function()
  error(("x\n"):rep(8000000))
end }
---: names "attack"
