-- Health comes back, over columns.

local ecs = require "ecs"

local Health = ecs.native("Health")

ecs.system "regen" {
  query = { Health },
  batch = function(b, ctx)
    local hp, max, regen = b:write(Health, "hp"), b:read(Health, "max"), b:read(Health, "regen")
    local dt, min = ctx.dt, math.min
    for i = 1, b.n do
      hp[i] = min(max[i], hp[i] + regen[i] * dt)
    end
  end,
}
