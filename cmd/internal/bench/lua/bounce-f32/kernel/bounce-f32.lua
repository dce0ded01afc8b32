-- The same as bounce, in single precision from the fields to the arithmetic.

local ecs = require "ecs"

local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")
local size = 1000

ecs.system "bounce-f32" {
  query = { Position, Velocity }, precision = "f32",
  each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
    if p.x < 0 or p.x > size then
      v.x = -v.x
    end
    if p.y < 0 or p.y > size then
      v.y = -v.y
    end
  end,
}
