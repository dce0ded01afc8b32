-- Texts: limit String. Formats that join what they get.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = "xxxxxxxx"
    while true do s = ("%s%s%q"):format(s, s, s) end ---! "(Limits.String)"
  end,
}
