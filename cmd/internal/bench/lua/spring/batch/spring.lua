-- A damped spring, over columns.

local ecs = require "ecs"

local Spring, Anchor = ecs.native("Spring"), ecs.native("Anchor")

ecs.system "spring" {
  query = { Spring, Anchor },
  batch = function(b, ctx)
    local value, speed = b:write(Spring, "value"), b:write(Spring, "speed")
    local target, dt = b:read(Anchor, "target"), ctx.dt
    local stiffness, damping = b:read(Anchor, "stiffness"), b:read(Anchor, "damping")
    for i = 1, b.n do
      local x, v = value[i], speed[i]
      v = v + ((target[i] - x) * stiffness[i] - v * damping[i]) * dt
      speed[i] = v
      value[i] = x + v * dt
    end
  end,
}
