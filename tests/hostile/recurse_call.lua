-- Recursion: limit Depth. A table that is called and calls itself.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = setmetatable({}, { __call = function(self) return 1 + self() end }) ---! "(Limits.Depth)"
    t()
  end,
}
