-- bricks.lua: what there is to hit. When all are gone, there are new ones.

local ecs = require "ecs"

local Box = ecs.native("Box")
local field = ecs.resource("Field")

local tuning = { columns = 8, rows = 3, gap = 2 } -- units

local Brick = ecs.tag("Brick")

ecs.system "bricks.build" {
  phase = "input",
  when = function() return ecs.find { Brick } == nil end,
  run = function()
    local width = field.width / tuning.columns
    for row = 1, tuning.rows do
      for column = 1, tuning.columns do
        ecs.spawn(Brick, Box {
          x = (column - 0.5) * width, y = 1 + row * 4,
          w = width - tuning.gap, h = 2,
        })
      end
    end
  end,
}

return { Brick = Brick }
