-- Tables: the same fields in ever other orders, of which nothing is kept.
---! place "(Limits."
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local state = 1
    while true do
      local t = {}
      for _ = 1, 10 do
        state = state * 48271 % 2147483647
        t["f" .. state % 10] = state
      end
    end
  end,
}
