-- Texts: limit String. The replacement names what was found a hundred thousand times.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("x"):rep(5e5)
    s = s:gsub(".*", ("%0"):rep(1e5)) ---! "(Limits.String)"
  end,
}
