-- Coroutines: one that resumes itself.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local co
    co = coroutine.create(function() return coroutine.resume(co) end)
    local _, _, why = coroutine.resume(co)
    error(why, 0) ---! "cannot resume running coroutine"
  end,
}
