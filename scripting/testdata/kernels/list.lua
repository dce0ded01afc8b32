-- Items of lists are in memory, and so is a long array; what a branch cannot do is
-- Lua's.
local ecs = require "ecs"
local Frame = ecs.native("Frame")
local stops = { { x = 1, wait = 2 }, { x = 5, wait = 0.5 } }
local costs = {}
for i = 1, 20 do costs[i] = i * i end

ecs.system "list" {
  query = { Frame },
  each = function(e, f)
    for i, stop in ipairs(stops) do
      if stop.x > f.at.x then
        f.at.y = stop.wait * costs[i]
      end
    end
    if f.mode == "walk" then
      f.at.x = (f.long[f.small[1]] or 0) + f.long[2]
      return
    end
    ecs.log("stands", e)
  end,
}
