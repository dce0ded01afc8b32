local ecs = require "ecs"
ecs.handler("attack.h", function() end)
ecs.system "attack" { run = function()
  for i = 1, 9000 do ecs.after(100, "attack.h", { s = ("x"):rep(16000000) .. i }) end
end }
