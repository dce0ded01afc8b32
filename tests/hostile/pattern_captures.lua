-- Patterns: there are at most 32 captures.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("a"):rep(100):match(("(a)"):rep(100)) ---! "too many captures"
  end,
}
