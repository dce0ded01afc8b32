-- Sandbox: no clock but the ticks'.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    assert(os.clock() < 1 and os.time() == 0, "that is no time of the game")
    assert(not pcall(os.time, { year = 2000, month = 1, day = 1 }))
    os.execute("true") ---! "attempt to call"
  end,
}
