-- A struct inside of another, and elements of an array. (Frame is a Go struct.)
local ecs = require "ecs"

local Frame = ecs.native("Frame")

ecs.system "nested" {
  query = { Frame },
  each = function(e, frame)
    frame.at.x = frame.at.x + frame.slots[2]
    frame.slots[1] = frame.at.deep.n
  end,
}
