local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  for i = 1, 14 do _G["k" .. ctx.tick .. "_" .. i] = ("x"):rep(16000000) .. i end
end })
