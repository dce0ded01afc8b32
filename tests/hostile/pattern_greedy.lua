-- Patterns: limit Instructions. Greedy runs in each other.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("a"):rep(1e5):match("^(a*)(a*)(a*)(a*)b$") ---! "script ran too long: used "
  end,
}
