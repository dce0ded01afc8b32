-- Once per chunk, with columns of plain numbers.

local ecs = require "ecs"

local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")

ecs.system "integrate" {
  query = { Position, Velocity },
  batch = function(b, ctx)
    local x, y = b:write(Position, "x"), b:write(Position, "y")
    local vx, vy = b:read(Velocity, "x"), b:read(Velocity, "y")
    local dt = ctx.dt
    for i = 1, b.n do
      x[i] = x[i] + vx[i] * dt
      y[i] = y[i] + vy[i] * dt
    end
  end,
}
