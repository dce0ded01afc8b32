-- Once per entity, and no question asked.

local ecs = require "ecs"

local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")

ecs.system "integrate" {
  query = { Position, Velocity },
  each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
  end,
}
