-- ball.lua: it flies, turns at walls, the paddle and bricks, and begins anew when it is lost.

local ecs = require "ecs"
local Paddle = require("paddle").Paddle
local Brick = require("bricks").Brick

local Box, Was = ecs.native("Box"), ecs.native("Was")
local field = ecs.resource("Field")

local tuning = { speed = 24 } -- units per second, up and down

local Ball = ecs.component("Ball", { vx = ecs.f64(0), vy = ecs.f64(0) })

ecs.on_start(function()
  ecs.spawn(Ball { vx = 15, vy = -1 }, Was, Box { x = field.width / 2, y = field.height - 4, w = 2, h = 2 })
end)

-- There is one ball: the VM does it, and nothing is compiled.
ecs.system "ball.fly" {
  query = { Box, Ball }, kernel = "off",
  each = function(_, box, ball, ctx)
    box.x = box.x + ball.vx * ctx.dt
    box.y = box.y + (ball.vy < 0 and -tuning.speed or tuning.speed) * ctx.dt
    if box.x < 1 or box.x > field.width - 1 then
      ball.vx = -ball.vx
      box.x = math.max(1, math.min(field.width - 1, box.x))
    end
    if box.y < 1 then
      ball.vy, box.y = 1, 1
    elseif box.y > field.height then
      ball.vy, box.x, box.y = -1, field.width / 2, field.height - 4
      field.lost = field.lost + 1
    end
  end,
}

local function touch(a, b)
  return math.abs(a.x - b.x) * 2 < a.w + b.w and math.abs(a.y - b.y) * 2 < a.h + b.h
end

ecs.system "ball.hit" {
  after = { "ball.fly", "paddle.move" },
  query = { Box, Ball }, kernel = "off",
  each = function(_, box, ball)
    for e in ecs.entities { Paddle } do
      local paddle = ecs.get(e, Box)
      if ball.vy > 0 and touch(box, paddle) then
        ball.vy = -1
        ball.vx = (box.x - paddle.x) * 4 -- the rim sends it aside
      end
    end
    for e in ecs.entities { Brick } do
      if touch(box, ecs.get(e, Box)) then
        ball.vy = -ball.vy
        field.points = field.points + 10
        ecs.despawn(e)
        return
      end
    end
  end,
}
