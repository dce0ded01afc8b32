-- A text that grows in every tick, and all its former states.
local ecs = require "ecs"
local text, all = "", {}

ecs.system "hostile" {
  run = function(ctx) ---! "the variables of this script hold too much: "
    text = text .. "tick " .. ctx.tick .. " was fine; "
    all[#all + 1] = text .. string.rep("-", 50000)
  end,
}
