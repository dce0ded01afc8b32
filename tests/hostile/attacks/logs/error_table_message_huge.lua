---: quiet
local ecs = require "ecs"
for j = 1, 50 do
  ecs.system("attack" .. j, { run = function(ctx)
    error({ message = ("v"):rep(15000000) .. ctx.tick })
  end })
end
