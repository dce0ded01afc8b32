-- Loops: limit Instructions. A numeric for whose step is zero never ends.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for i = 10, 1, 0 do local x = i end ---! "script ran too long: used "
  end,
}
