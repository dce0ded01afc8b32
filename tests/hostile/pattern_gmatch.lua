-- Patterns: limit Instructions. An iterator that searches to the end each time.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for _ in ("a"):rep(1e5):gmatch("a-b") do end ---! "script ran too long: used "
  end,
}
