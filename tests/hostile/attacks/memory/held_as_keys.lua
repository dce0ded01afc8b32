local ecs = require "ecs"
local kept = {}
ecs.system("attack", { run = function(ctx)
  for i = 1, 10 do kept[("x"):rep(16000000) .. i .. "/" .. ctx.tick] = true end
end })
