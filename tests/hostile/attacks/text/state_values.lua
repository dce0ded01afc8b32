local ecs = require "ecs"
local st = ecs.state("attack", {})
ecs.system "attack" { run = function()
  for i = 1, 1e6 do st[i % 1000] = ("x"):rep(16000000) .. i end
end }
