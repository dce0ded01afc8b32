-- Once per chunk, with columns of plain numbers, and everything in one loop.

local ecs = require "ecs"

local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")
local size = 1000

ecs.system "bounce" {
  query = { Position, Velocity },
  batch = function(b, ctx)
    local x, y = b:write(Position, "x"), b:write(Position, "y")
    local vx, vy = b:write(Velocity, "x"), b:write(Velocity, "y")
    local dt = ctx.dt
    for i = 1, b.n do
      local px = x[i] + vx[i] * dt
      local py = y[i] + vy[i] * dt
      x[i], y[i] = px, py
      if px < 0 or px > size then
        vx[i] = -vx[i]
      end
      if py < 0 or py > size then
        vy[i] = -vy[i]
      end
    end
  end,
}
