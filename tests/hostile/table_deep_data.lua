-- Tables: data for a timer nests at most so deep, and may not contain itself.
local ecs = require "ecs"

ecs.handler("never", function() end)

ecs.system "hostile" {
  run = function()
    local deep = {}
    for _ = 1, 30000 do deep = { deep } end
    assert(not pcall(ecs.after, 1, "never", deep))
    local round = {}
    round.round = round
    ecs.after(1, "never", round) ---! "data nests deeper than"
  end,
}
