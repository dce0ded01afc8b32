-- Loops: limit Instructions. Adding one changes nothing above 2^53.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for i = 2 ^ 53, 2 ^ 53 + 2 do local x = i end ---! "script ran too long: used "
  end,
}
