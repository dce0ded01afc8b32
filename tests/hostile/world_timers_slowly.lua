-- World: limit Timers. Three thousand in each tick.
local ecs = require "ecs"

ecs.handler("never", function() end)

ecs.system "hostile" {
  run = function()
    for _ = 1, 3000 do ecs.every(1e6, "never") end ---! "(Limits.Timers)"
  end,
}
