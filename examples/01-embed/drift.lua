-- drift.lua: everything that has a place drifts to the right and sinks.

local ecs = require "ecs"

local Position = ecs.native("Position")

local tuning = { right = 8, down = 2 } -- units per second

ecs.system "drift" {
  query = { Position },
  each = function(_, position, ctx)
    position.x = position.x + tuning.right * ctx.dt
    position.y = position.y - tuning.down * ctx.dt
  end,
}
