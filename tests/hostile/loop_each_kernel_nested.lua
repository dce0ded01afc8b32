-- Loops: limit Instructions. Loops in loops of a compiled function that would end, in a century.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  query = { Position }, kernel = "require",
  each = function(_, position)
    for i = 1, 1e6 do
      for k = 1, 1e6 do ---! "script ran too long: used "
        position.x = position.x + i * k ---! "script ran too long: used "
      end
    end
  end,
}
