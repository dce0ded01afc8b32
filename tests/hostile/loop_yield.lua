-- Loops: limit Instructions. Yielding is no escape.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local co = coroutine.wrap(function() while true do coroutine.yield() end end) ---! "script ran too long: used "
    while true do co() end ---! "script ran too long: used "
  end,
}
