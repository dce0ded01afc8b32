-- Once per chunk, with columns of plain numbers, and everything in one loop.

local ecs = require "ecs"

local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")
local size = 1000

ecs.system "bounce" {
  query = { Position, Velocity },
  batch = function(b, ctx)
    local x, y = b:write(Position, "x"), b:write(Position, "y")
    local vx, vy = b:write(Velocity, "x"), b:write(Velocity, "y")
    local dt, size = ctx.dt, size
    for i = 1, b.n do
      local dx, dy = vx[i], vy[i]
      local px, py = x[i] + dx * dt, y[i] + dy * dt
      x[i] = px
      y[i] = py
      if px < 0 or px > size then
        vx[i] = -dx
      end
      if py < 0 or py > size then
        vy[i] = -dy
      end
    end
  end,
}
