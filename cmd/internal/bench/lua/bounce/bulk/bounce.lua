-- Once per chunk, with what whole columns can do in Go; the loop in Lua is left
-- with the question that no column operation answers.

local ecs = require "ecs"

local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")
local size = 1000

ecs.system "bounce" {
  query = { Position, Velocity },
  batch = function(b, ctx)
    b:col(Position, "x"):madd(b:col(Velocity, "x"), ctx.dt)
    b:col(Position, "y"):madd(b:col(Velocity, "y"), ctx.dt)
    local x, y = b:read(Position, "x"), b:read(Position, "y")
    local vx, vy = b:write(Velocity, "x"), b:write(Velocity, "y")
    for i = 1, b.n do
      local px, py = x[i], y[i]
      if px < 0 or px > size then
        vx[i] = -vx[i]
      end
      if py < 0 or py > size then
        vy[i] = -vy[i]
      end
    end
  end,
}
