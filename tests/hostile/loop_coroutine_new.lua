-- Loops: limit Instructions. A fresh coroutine has no fresh budget.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    while true do
      coroutine.resume(coroutine.create(function() while true do end end)) ---! "script ran too long: used "
    end
  end,
}
