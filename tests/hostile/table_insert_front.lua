-- Tables: limit Instructions. Each insert moves all of the list.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    while true do table.insert(t, 1, true) end ---! "(Limits."
  end,
}
