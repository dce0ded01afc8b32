-- Loops: limit Instructions. Tail calls take no stack, so nothing else ends them.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local function f() return f() end ---! "script ran too long: used "
    f() ---! "script ran too long: used "
  end,
}
