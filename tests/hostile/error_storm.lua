-- Errors that lie: one per tick, each with another text.
local ecs = require "ecs"

local n = 0

ecs.system "hostile" {
  run = function()
    n = n + 1
    error(("x"):rep(n % 50) .. n) ---! "x"
  end,
}
