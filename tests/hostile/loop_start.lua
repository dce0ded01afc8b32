-- Loops: limit Instructions. In a function that runs once.
local ecs = require "ecs"

ecs.on_start(function()
  while true do end ---! "script ran too long: used "
end)
