-- Loops: limit Instructions. Inside of a replacement that gsub calls.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    ("abc"):gsub(".", function() while true do end end) ---! "script ran too long: used "
  end,
}
