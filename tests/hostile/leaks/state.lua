-- A state table, which outlives the script.
local ecs = require "ecs"
local state = ecs.state("hostile", { history = {} })

ecs.on_unload(function() state.history = {} end)

ecs.system "hostile" {
  run = function(ctx) ---! "the variables of this script hold too much: "
    for i = 1, 300 do state.history[#state.history + 1] = { tick = ctx.tick, x = i, y = -i } end
  end,
}
