local ecs = require "ecs"
ecs.handler("attack.h", function() end)
ecs.system("attack", { run = function(ctx)
  for i = 1, 1e6 do ecs.after(1000, "attack.h", { i }) end
end })
