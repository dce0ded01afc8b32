-- Tables: one table that gets and loses fields, and an object whose class changes, so that
-- nothing that was remembered about a field stays true.
---! place "(Limits."
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local classes, o = {}, {}
    for i = 1, 50 do
      classes[i] = { __index = { ["m" .. i] = function() return i end, name = function() return i end } }
    end
    local i = 0
    while true do
      i = i % 50 + 1
      setmetatable(o, classes[i])
      o["own" .. i], o["own" .. (i + 7) % 50] = i, nil
      if o:name() ~= i then error("a field of before") end
    end
  end,
}
