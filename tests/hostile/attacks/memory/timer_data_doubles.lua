local ecs = require "ecs"
ecs.handler("attack.h", function() end)
ecs.system("attack", { run = function(ctx)
  local t = { 1 }
  for i = 1, 31 do t = { t, t } end
  ecs.after(1, "attack.h", t)
end })
---: names "attack"
