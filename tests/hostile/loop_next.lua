-- Loops: limit Instructions. A traversal of a table that grows as fast as it is read.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = { 1 }
    while true do
      for k in pairs(t) do t[k + 1] = k end ---! "(Limits."
      t = { 1 }
    end
  end,
}
