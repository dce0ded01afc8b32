-- Loops: limit Instructions. Two labels that send each other on.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    ::a::
    do goto b end
    ::b::
    goto a ---! "script ran too long: used "
  end,
}
