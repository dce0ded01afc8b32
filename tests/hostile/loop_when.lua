-- Loops: limit Instructions. In the condition of a system.
local ecs = require "ecs"

ecs.system "hostile" {
  when = function() while true do end end, ---! "script ran too long: used "
  run = function() end,
}
