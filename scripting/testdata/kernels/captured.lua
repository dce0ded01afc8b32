-- Fields of a table around the function, read anew each time.
local ecs = require "ecs"

local Ball = ecs.component("Ball", { y = ecs.f64(0), up = ecs.f64(0) })
local tuning = { gravity = 9.8, ground = { height = 0 } }

ecs.system "captured" {
  query = { Ball },
  each = function(e, ball, ctx)
    ball.up = ball.up - tuning.gravity * ctx.dt
    ball.y = math.max(ball.y + ball.up * ctx.dt, tuning.ground.height)
  end,
}
