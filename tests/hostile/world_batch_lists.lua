-- World: lists of a batch that come back longer, shorter or with something else in them.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  query = { Position },
  batch = function(b)
    local x = b:write(Position, "x")
    x[b.n + 1000], x[0], x[-1], x.name = 1, 1, 1, 1
    setmetatable(x, { __index = error, __newindex = error })
    x[1] = "text"
  end,
}
---! place "\"Position\", row 1 of the batch"
