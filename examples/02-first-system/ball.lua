-- ball.lua: balls fall, and bounce off the floor.

local ecs = require "ecs"

local Height, Speed = ecs.native("Height"), ecs.native("Speed")

local tuning = {
  gravity = 9.8, -- metres per second, each second
  bounce = 0.75, -- part of the speed that is left after the floor
}

-- Before the Go system "move", because the phase "logic" comes before "physics".
ecs.system "ball.fall" {
  phase = "logic",
  query = { Speed },
  each = function(_, speed, ctx)
    speed.mps = speed.mps - tuning.gravity * ctx.dt
  end,
}

-- In the same phase as "move", and after it.
ecs.system "ball.bounce" {
  phase = "physics",
  after = { "move" },
  query = { Height, Speed },
  each = function(_, height, speed)
    if height.m < 0 then
      height.m = -height.m
      speed.mps = -speed.mps * tuning.bounce
    end
  end,
}
