local ecs = require "ecs"
ecs.handler("attack.h", function() end)
ecs.system "attack" { run = function()
  while true do ecs.cancel(ecs.after(10, "attack.h")) end
end }
