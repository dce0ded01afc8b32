-- Go structs reached one by one through gopher-luar: how scripts talk to Go
-- where nobody has built anything else.

local ecs = require "ecs"
local host = require "host"

local size = 1000

ecs.system "bounce" {
  run = function(ctx)
    local dt = ctx.dt
    for i = 1, host.count do
      local p, v = host.positions[i], host.velocities[i]
      p.X = p.X + v.X * dt
      p.Y = p.Y + v.Y * dt
      if p.X < 0 or p.X > size then
        v.X = -v.X
      end
      if p.Y < 0 or p.Y > size then
        v.Y = -v.Y
      end
    end
  end,
}
