-- World: limit Table. State without end.
local ecs = require "ecs"

local state = ecs.state("hostile", {})

ecs.system "hostile" {
  run = function()
    while true do state[#state + 1] = 1 end ---! "(Limits."
  end,
}
