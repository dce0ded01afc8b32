-- Recursion: limit Callbacks. A comparison that sorts.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function before()
      table.sort({ 2, 1 }, before) ---! "(Limits.Callbacks)"
      return false
    end
    before()
  end,
}
