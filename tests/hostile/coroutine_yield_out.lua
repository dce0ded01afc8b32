-- Coroutines: a system is none, and cannot yield.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    coroutine.yield() ---! "attempt to yield from outside a coroutine"
  end,
}
