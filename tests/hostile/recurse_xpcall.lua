-- Recursion: limit Instructions. Handlers whose errors have handlers.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function f(why)
      xpcall(f, f)
      error(why) ---! "script ran too long: used "
    end
    xpcall(f, f)
  end,
}
