-- Loops: limit Instructions. In a function that spawn_many calls back.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  run = function()
    ecs.spawn_many(10, Position, function() while true do end end) ---! "script ran too long: used "
  end,
}
