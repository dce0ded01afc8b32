-- World: limit Timers. Timers without end.
local ecs = require "ecs"

ecs.handler("never", function() end)

ecs.system "hostile" {
  run = function()
    while true do ecs.after(1e6, "never") end ---! "(Limits.Timers)"
  end,
}
