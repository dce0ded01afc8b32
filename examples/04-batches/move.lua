-- move.lua: three ways to say the same. The host switches one of them on.

local ecs = require "ecs"

local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")

-- Entity by entity: the plainest way, and good for some thousand entities.
ecs.system "move.each" {
  enabled = false, query = { Position, Velocity },
  each = function(_, position, velocity, ctx)
    position.x = position.x + velocity.x * ctx.dt
    position.y = position.y + velocity.y * ctx.dt
  end,
}

-- A batch: one call for each chunk of some hundred entities. Fields come as
-- lists of numbers, and only those that are asked for.
ecs.system "move.batch" {
  enabled = false, query = { Position, Velocity },
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

-- Whole columns: the loops run in Go.
ecs.system "move.bulk" {
  enabled = false, query = { Position, Velocity },
  batch = function(b, ctx)
    b:col(Position, "x"):madd(b:col(Velocity, "x"), ctx.dt)
    b:col(Position, "y"):madd(b:col(Velocity, "y"), ctx.dt)
  end,
}
