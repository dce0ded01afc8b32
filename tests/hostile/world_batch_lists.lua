-- World: lists of a batch that come back longer, shorter or with something else in them.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  query = { Position },
  batch = function(b)
    local x = b:write(Position, "x")
    for key in pairs { [b.n + 1000] = 1, [0] = 1, [-1] = 1, name = 1 } do pcall(function() x[key] = 1 end) end
    pcall(setmetatable, x, { __index = error, __newindex = error })
    x[1] = "text"
  end,
}
---! place "\"Position\", row 1 of the batch"
