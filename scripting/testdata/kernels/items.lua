-- Items of lists: of a number that is written out, of any, of one list in another, and of
-- the names of an enum.
local ecs = require "ecs"

local Walker = ecs.component("Walker", { pace = ecs.f64(0), step = ecs.u8(1), mode = ecs.enum("idle", "walk", "run") })
local levels, grid = { 4, 5, 6 }, { { 1, 2 }, { 3, 4 } }
local paces = { idle = 0, walk = 1.5, run = 4 }

ecs.system "items" {
  query = { Walker },
  each = function(e, walker)
    if walker.mode == "idle" then
      walker.pace = levels[2] + #levels + grid[2][1]
    elseif walker.step > 2 then
      walker.pace = levels[3] + grid[1][walker.step - 2]
    else
      walker.pace = levels[walker.step] * paces[walker.mode]
    end
  end,
}
