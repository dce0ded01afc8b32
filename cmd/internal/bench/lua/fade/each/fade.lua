-- A particle ages, shrinks and fades, and then begins anew.

local ecs = require "ecs"

local Particle = ecs.native("Particle")

ecs.system "fade" {
  query = { Particle },
  each = function(e, p, ctx)
    p.age = p.age + ctx.dt
    if p.age >= p.life then
      p.age = p.age - p.life
    end
    local left = 1 - p.age / p.life
    p.alpha = left * left
    p.size = p.width * (0.25 + 0.75 * left)
  end,
}
