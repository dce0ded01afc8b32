-- Every star pulls every other. They form a ring: each has the handle of the
-- next, and the way around it ends where it began. Then all move.

local ecs = require "ecs"

local Star, Velocity = ecs.native("Star"), ecs.native("Velocity")
local softening = 25

ecs.system "nbody" {
  query = { Star, Velocity },
  each = function(e, s, v, ctx)
    local ax, ay = 0, 0
    local other = s.next
    repeat
      local star = ecs.get(other, Star)
      if not star then
        break
      end
      local dx, dy = star.x - s.x, star.y - s.y
      local square = dx * dx + dy * dy + softening
      local force = star.mass / (square * math.sqrt(square))
      ax, ay = ax + dx * force, ay + dy * force
      local last = other
      other = star.next
    until last == e
    v.x = v.x + ax * ctx.dt
    v.y = v.y + ay * ctx.dt
  end,
}

ecs.system "nbody.move" {
  query = { Star, Velocity },
  each = function(e, s, v, ctx)
    s.x = s.x + v.x * ctx.dt
    s.y = s.y + v.y * ctx.dt
  end,
}
