-- Loops: limit Instructions.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    while true do end ---! "script ran too long: used "
  end,
}
