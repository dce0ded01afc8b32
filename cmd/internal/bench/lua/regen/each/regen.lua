-- Health comes back, up to a maximum.

local ecs = require "ecs"

local Health = ecs.native("Health")

ecs.system "regen" {
  query = { Health },
  each = function(e, h, ctx)
    h.hp = math.min(h.max, h.hp + h.regen * ctx.dt)
  end,
}
