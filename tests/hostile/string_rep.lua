-- Texts: limit String. A text of a terabyte.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("x"):rep(1e12) ---! "(Limits.String)"
  end,
}
