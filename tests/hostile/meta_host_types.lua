-- Metatables: those of components, batches and the ecs table itself show nothing.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  query = { Position },
  batch = function(b)
    for _, v in ipairs { Position, Position { x = 1 }, b, b:col(Position, "x"), ecs, require "host" } do
      assert(type(getmetatable(v)) ~= "table", tostring(v))
      assert(not pcall(setmetatable, v, {}))
    end
    error("done") ---! "done"
  end,
}
