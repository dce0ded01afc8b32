-- Recursion: limit Depth. Comparisons that compare.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local meta = {}
    meta.__eq = function(a, b) return a < b end ---! "(Limits.Depth)"
    meta.__lt = function(a, b) return a <= b end ---! "(Limits.Depth)"
    meta.__le = function(a, b) return a == b end ---! "(Limits.Depth)"
    local x = setmetatable({}, meta) == setmetatable({}, meta)
  end,
}
