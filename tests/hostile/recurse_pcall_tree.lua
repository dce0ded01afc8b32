-- Recursion: limits Nesting and Instructions. Each level tries twice.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function f()
      pcall(f)
      pcall(f) ---! "script ran too long: used "
    end
    f()
  end,
}
