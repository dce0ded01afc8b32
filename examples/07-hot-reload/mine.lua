-- mine.lua: miners fill the chests, and each tenth dig brings up a gem.

local ecs = require "ecs"

local Gold = ecs.native("Gold")

local tuning = { per_dig = 1, per_gem = 1000 }

-- This table is kept when the file is loaded again, and so are all components.
local state = ecs.state("mine", { digs = 0 })

ecs.system "mine.dig" {
  query = { Gold },
  each = function(_, gold)
    state.digs = state.digs + 1
    gold.nuggets = gold.nuggets + tuning.per_dig
    if state.digs % 10 == 0 then
      gold.nuggets = gold.nuggets + tuning.per_gem
    end
  end,
}
