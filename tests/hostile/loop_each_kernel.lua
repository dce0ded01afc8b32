-- Loops: limit Instructions. The same, compiled: the kernel counts what the machine would.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  query = { Position }, kernel = "require",
  each = function(_, position)
    position.x = 99
    while true do position.y = position.y + 1 end ---! "script ran too long: used "
  end,
}
