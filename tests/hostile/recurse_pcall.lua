-- Recursion: limit Nesting. Protected calls inside of each other, and out of one error into the next.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function f()
      local ok, why = pcall(f) ---! "(Limits.Nesting)"
      if not ok then error(why, 0) end ---! "(Limits.Nesting)"
    end
    f()
  end,
}
