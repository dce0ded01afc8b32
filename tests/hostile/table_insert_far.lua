-- Tables: limit Instructions. Each insert is far before the first item, and moves a million empty places.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    while true do table.insert({}, -1e9, true) end ---! "(Limits."
  end,
}
