-- Texts: limit String. Each byte becomes all of the text.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("x"):rep(1e4)
    s = s:gsub("x", s) ---! "(Limits.String)"
  end,
}
