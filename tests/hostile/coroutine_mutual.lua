-- Coroutines: one that runs cannot be resumed, so two cannot resume each other.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local a, b
    a = coroutine.create(function() return coroutine.resume(b) end)
    b = coroutine.create(function() return coroutine.resume(a) end)
    local ok, inner, deepest, why = coroutine.resume(a)
    error(why, 0) ---! "cannot resume normal coroutine"
  end,
}
