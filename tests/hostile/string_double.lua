-- Texts: limit String. Doubling.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = "x"
    while true do s = s .. s end ---! "(Limits.String)"
  end,
}
