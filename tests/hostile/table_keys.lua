-- Tables: limit Table. Keys that are no list.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    for i = 1, 1e9 do t[-i] = true end ---! "(Limits.Table)"
  end,
}
