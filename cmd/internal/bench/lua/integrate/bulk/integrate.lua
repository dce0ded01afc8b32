-- Once per chunk: whole columns, in Go. Nothing is left for a loop in Lua.

local ecs = require "ecs"

local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")

ecs.system "integrate" {
  query = { Position, Velocity },
  batch = function(b, ctx)
    b:col(Position, "x"):madd(b:col(Velocity, "x"), ctx.dt)
    b:col(Position, "y"):madd(b:col(Velocity, "y"), ctx.dt)
  end,
}
