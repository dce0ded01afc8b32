-- Patterns: limit Instructions. Brackets that are never closed, from each place on.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("("):rep(5e5):find("%b()x") ---! "script ran too long: used "
  end,
}
