-- Loops: limit Instructions. Over the rows of a batch that are there again and again.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  query = { Position },
  batch = function(b)
    local x = b:write(Position, "x")
    local i = 0
    while true do
      i = i % b.n + 1 ---! "script ran too long: used "
      x[i] = 99 ---! "script ran too long: used "
    end ---! "script ran too long: used "
  end,
}
