-- paddle.lua: what the player steers.

local ecs = require "ecs"

local Box = ecs.native("Box") -- where something is, and how large
local Was = ecs.native("Was") -- where it was a step before: for the host, which draws between
local Key = ecs.native_event("Key")
local field = ecs.resource("Field")

local tuning = { speed = 32, width = 10 } -- units per second, units
local keys = { stop = 0, left = 1, right = 2 }

local Paddle = ecs.component("Paddle", { way = ecs.i8(0) })

ecs.on_start(function()
  ecs.spawn(Paddle, Was, Box { x = field.width / 2, y = field.height - 2, w = tuning.width, h = 1 })
end)

ecs.system "paddle.hear" {
  phase = "input", on = Key,
  each = function(key)
    for e in ecs.entities { Paddle } do
      ecs.set(e, Paddle { way = key.code == keys.left and -1 or key.code == keys.right and 1 or 0 })
    end
  end,
}

ecs.system "paddle.move" {
  query = { Box, Paddle },
  each = function(_, box, paddle, ctx)
    box.w = tuning.width -- a reload changes the paddle that is there
    box.x = box.x + paddle.way * tuning.speed * ctx.dt
    box.x = math.max(box.w / 2, math.min(field.width - box.w / 2, box.x))
  end,
}

return { Paddle = Paddle }
