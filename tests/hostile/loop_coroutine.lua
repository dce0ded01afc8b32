-- Loops: limit Instructions. A coroutine runs on the budget of who resumes it.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    coroutine.wrap(function() while true do end end)() ---! "script ran too long: used "
  end,
}
