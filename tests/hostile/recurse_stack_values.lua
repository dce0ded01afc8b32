-- Recursion: the calls in each other hold too many values. A varargs function that adds one each time.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function f(...) return f(1, ...) end ---! file "stack overflow"
    f()
  end,
}
