-- Loops: limit Instructions. Inside of a comparison that table.sort calls.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    table.sort({ 3, 1, 2 }, function() while true do end end) ---! "script ran too long: used "
  end,
}
