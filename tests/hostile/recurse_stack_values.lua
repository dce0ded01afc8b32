-- Recursion: values that move at each call are counted. A varargs function that adds one each time.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function f(...) return f(1, ...) end ---! "(Limits.Instructions)"
    f()
  end,
}
