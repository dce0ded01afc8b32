-- Tables: keys come and go while a walk over the table is under way.
---! place "(Limits."
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    for i = 1, 2000 do t["k" .. i] = i end
    while true do
      for k in pairs(t) do
        t[k] = nil
        if next(t) == nil then break end
      end
      for i = 1, 2000 do t["k" .. i] = i end
    end
  end,
}
