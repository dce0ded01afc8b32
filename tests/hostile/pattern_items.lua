-- Patterns: one of a hundred thousand items is refused before it recurses.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("a"):rep(1000):find(("a?"):rep(100000)) ---! "pattern too"
  end,
}
