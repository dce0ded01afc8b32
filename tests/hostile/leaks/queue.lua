-- A list whose items move, so that no part of it is ever the same as before.
local ecs = require "ecs"
local front, back = 1, 0
local queue = {}

ecs.system "hostile" {
  run = function(ctx) ---! "the variables of this script hold too much: "
    for i = 1, 400 do
      back = back + 1
      queue[back % 200] = { queue[back % 200], tick = ctx.tick }
      front = front + 1
    end
  end,
}
