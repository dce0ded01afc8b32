-- A flock: everybody keeps to the middle of four neighbours, whom it knows by
-- their handles, and loses some speed on the way. Then all move.

local ecs = require "ecs"

local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")
local Flock = ecs.native("Flock")
local cohesion, drag = 0.8, 0.25

ecs.system "steer" {
  query = { Position, Velocity, Flock },
  each = function(e, p, v, flock, ctx)
    local x, y = 0, 0
    for i = 1, 4 do
      local mate = ecs.get(flock.mates[i], Position)
      if mate then
        x, y = x + mate.x, y + mate.y
      end
    end
    v.x = v.x + ((x / 4 - p.x) * cohesion - v.x * drag) * ctx.dt
    v.y = v.y + ((y / 4 - p.y) * cohesion - v.y * drag) * ctx.dt
  end,
}

ecs.system "steer.move" {
  query = { Position, Velocity },
  each = function(e, p, v, ctx)
    p.x = p.x + v.x * ctx.dt
    p.y = p.y + v.y * ctx.dt
  end,
}
