-- Loops: limit Instructions. The variable in the condition is a new one each time.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    repeat local never = false until never ---! "script ran too long: used "
  end,
}
