-- What is put into the script's own library tables is kept as well.
local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  for i = 1, 14 do string["k" .. ctx.tick .. i] = ("x"):rep(16000000) .. i end
end })
