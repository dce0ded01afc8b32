-- Loops: limit Instructions. In a handler that a timer calls.
local ecs = require "ecs"

ecs.handler("hang", function()
  while true do end ---! "script ran too long: used "
end)

ecs.on_start(function()
  ecs.after(0, "hang")
end)
