-- Recursion: limit Depth. Through __index functions.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = setmetatable({}, { __index = function(t, k) return t[k + 1] end }) ---! "(Limits.Depth)"
    local x = t[1]
  end,
}
