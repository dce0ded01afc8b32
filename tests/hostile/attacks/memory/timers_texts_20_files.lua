---: copies 20
local ecs = require "ecs"
ecs.handler("attack.h" .. NAME, function() end)
ecs.system("attack" .. NAME, { run = function(ctx)
  for i = 1, 14 do ecs.after(1000, "attack.h" .. NAME, { ("x"):rep(16000000) .. i }) end
end })
