-- Tables: limit Table, in the library.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    while true do table.insert(t, true) end ---! "(Limits.Table)"
  end,
}
