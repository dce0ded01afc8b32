-- Patterns: limit Instructions. A back reference to each length.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("a"):rep(1e5):find("(a*)(a*)%1%2b") ---! "script ran too long: used "
  end,
}
