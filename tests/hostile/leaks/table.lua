-- A table that gets some records in every tick.
local ecs = require "ecs"
local log = {}

ecs.system "hostile" {
  run = function(ctx) ---! "the variables of this script hold too much: "
    for i = 1, 500 do log[#log + 1] = { tick = ctx.tick, i = i, text = "something happened" } end
  end,
}
