-- World: limits TickInstructions and Timers. A thousand handlers that loop in the same tick.
local ecs = require "ecs"

ecs.handler("hang", function()
  while true do end ---! "script ran too long"
end)

ecs.on_start(function()
  for _ = 1, 1000 do ecs.after(0, "hang") end
end)
