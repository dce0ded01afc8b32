-- Recursion: limit Depth. Through __newindex functions.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = setmetatable({}, { __newindex = function(t, k, v) t[k + 1] = v end }) ---! "(Limits.Depth)"
    t[1] = 1
  end,
}
