-- Recursion: limit Callbacks. A __tostring that asks for its own text.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = setmetatable({}, { __tostring = function(t) return tostring(t) end }) ---! "(Limits.Callbacks)"
    local s = tostring(t)
  end,
}
