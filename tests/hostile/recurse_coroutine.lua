-- Recursion: limit Nesting. Coroutines that start coroutines.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function f() coroutine.wrap(f)() end ---! "(Limits.Nesting)"
    f()
  end,
}
