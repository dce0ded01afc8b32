-- Patterns: limit Instructions. Three lazy runs and a byte that is not there.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("x"):rep(1e5):find("(.-)(.-)(.-)b") ---! "script ran too long: used "
  end,
}
