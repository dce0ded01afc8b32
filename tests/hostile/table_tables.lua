-- Tables: limit Instructions or Heap. Tables in a table.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    for i = 1, 1e9 do t[i % 1000] = { t[i % 1000], {}, {} } end ---! "(Limits."
  end,
}
