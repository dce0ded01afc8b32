-- Recursion: limit Depth. A comparison that sorts.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function before()
      table.sort({ 2, 1 }, before) ---! "(Limits.Depth)"
      return false
    end
    before()
  end,
}
