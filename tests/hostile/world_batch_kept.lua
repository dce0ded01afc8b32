-- World: a batch, its lists and its columns end with the function.
local ecs = require "ecs"
local Position = ecs.native("Position")

local kept, column

ecs.system "hostile" {
  query = { Position },
  batch = function(b)
    if kept then
      column:add(1) ---! "batch"
    end
    kept, column = b, b:col(Position, "x")
  end,
}
