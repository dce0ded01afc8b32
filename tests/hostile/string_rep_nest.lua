-- Texts: limit String. A repetition of repetitions.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("x"):rep(1000):rep(1000):rep(1000):rep(1000) ---! "(Limits.String)"
  end,
}
