---: quiet
local ecs = require "ecs"
local arena = ecs.resource("Arena")
ecs.system("attack", { run = function(ctx)
  for i = 1, 1e5 do arena.edge = "bounce" arena.width = 1e300 end
end })
