-- Recursion: limit Depth. Operators that use themselves.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local meta = {}
    meta.__add = function(a, b) return a - b end ---! "(Limits.Depth)"
    meta.__sub = function(a, b) return a * b end ---! "(Limits.Depth)"
    meta.__mul = function(a, b) return -(a / b) end ---! "(Limits.Depth)"
    meta.__div = function(a, b) return a + b end ---! "(Limits.Depth)"
    local x = setmetatable({}, meta) + 1
  end,
}
