-- A damped spring for each entity: the pull, then the speed, then the value.

local ecs = require "ecs"

local Spring, Anchor = ecs.native("Spring"), ecs.native("Anchor")

ecs.system "spring" {
  query = { Spring, Anchor },
  each = function(e, s, a, ctx)
    local pull = (a.target - s.value) * a.stiffness - s.speed * a.damping
    s.speed = s.speed + pull * ctx.dt
    s.value = s.value + s.speed * ctx.dt
  end,
}
