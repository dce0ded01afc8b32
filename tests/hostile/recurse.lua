-- Recursion: limit Depth.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function f(n) return 1 + f(n + 1) end ---! "(Limits.Depth)"
    f(1)
  end,
}
