-- Loops: limit Instructions. A compiled loop whose step is zero.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  query = { Position },
  each = function(_, position)
    for i = 10, 1, position.y * 0 do position.x = position.x + 1 end ---! "script ran too long: used "
  end,
}
