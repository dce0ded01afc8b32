local ecs = require "ecs"
local st = ecs.state("attack", {})
ecs.system "attack" { run = function()
  for i = 1, 1e6 do st[("x"):rep(16000000) .. i] = 1 end
end }
