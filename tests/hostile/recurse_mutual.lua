-- Recursion: limit Depth. Two functions that call each other.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local odd
    local function even(n) return 1 + odd(n) end ---! "(Limits.Depth)"
    function odd(n) return 1 + even(n) end ---! "(Limits.Depth)"
    even(1)
  end,
}
