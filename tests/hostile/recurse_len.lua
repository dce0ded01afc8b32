-- Recursion: limit Depth. A __len that measures itself.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = setmetatable({}, { __len = function(t) return #t end }) ---! "(Limits.Depth)"
    local n = #t
  end,
}
