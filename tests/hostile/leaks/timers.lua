-- Timers that are never due, each with data.
local ecs = require "ecs"
local ids = {}

ecs.handler("hostile.later", function() end)
ecs.on_unload(function()
  for _, id in ipairs(ids) do ecs.cancel(id) end -- timers outlive their script
end)

ecs.system "hostile" {
  run = function(ctx) ---! "the variables of this script hold too much: "
    for i = 1, 10 do
      ids[#ids + 1] = ecs.after(1e6, "hostile.later", { text = string.rep("x", 10000) .. i, tick = ctx.tick })
    end
  end,
}
