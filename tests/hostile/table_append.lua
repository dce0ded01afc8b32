-- Tables: limit Table. One item after the other.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    while true do t[#t + 1] = true end ---! "(Limits.Table)"
  end,
}
