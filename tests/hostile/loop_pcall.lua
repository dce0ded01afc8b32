-- Loops: limit Instructions. Catching the error of the limit buys no instruction.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    while true do
      pcall(function() while true do end end) ---! "script ran too long: used "
    end
  end,
}
