-- Tables: no two have the same fields, and all are kept.
---! place "(Limits."
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local kept = {}
    while true do
      local t, n = {}, #kept
      for i = 1, 12 do
        t["f" .. (n * i * 7919) % 100003] = i
      end
      kept[n + 1] = t
    end
  end,
}
