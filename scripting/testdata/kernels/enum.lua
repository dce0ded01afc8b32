-- The names of an enum are numbers, compared and stored.
local ecs = require "ecs"

local Lamp = ecs.component("Lamp", { state = ecs.enum("red", "green"), left = ecs.f64(3) })

ecs.system "enum" {
  query = { Lamp },
  each = function(e, lamp, ctx)
    lamp.left = lamp.left - ctx.dt
    if lamp.left <= 0 then
      lamp.state = lamp.state == "red" and "green" or "red"
      lamp.left = 3
    end
  end,
}
