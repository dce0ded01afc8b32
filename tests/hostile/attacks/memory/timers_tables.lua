local ecs = require "ecs"
ecs.handler("attack.h", function() end)
ecs.system("attack", { run = function(ctx)
  local t = {}
  for i = 1, 9000 do t[i] = i end
  for i = 1, 500 do ecs.after(1000, "attack.h", t) end
end })
