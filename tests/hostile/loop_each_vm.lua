-- Loops: limit Instructions. In a function for each entity, on the Lua machine.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  query = { Position }, kernel = "off",
  each = function(_, position)
    position.x = 99
    while true do end ---! "script ran too long: used "
  end,
}
