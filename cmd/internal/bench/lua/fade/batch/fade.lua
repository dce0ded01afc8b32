-- A particle's life, over columns.

local ecs = require "ecs"

local Particle = ecs.native("Particle")

ecs.system "fade" {
  query = { Particle },
  batch = function(b, ctx)
    local age, life, width = b:write(Particle, "age"), b:read(Particle, "life"), b:read(Particle, "width")
    local size, alpha = b:write(Particle, "size"), b:write(Particle, "alpha")
    local dt = ctx.dt
    for i = 1, b.n do
      local a = age[i] + dt
      if a >= life[i] then
        a = a - life[i]
      end
      local left = 1 - a / life[i]
      age[i] = a
      alpha[i] = left * left
      size[i] = width[i] * (0.25 + 0.75 * left)
    end
  end,
}
