-- Patterns: limit Instructions. Backtracking over optional items.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local n = 40
    local s = ("a"):rep(n):find(("a?"):rep(n) .. ("a"):rep(n)) ---! "script ran too long: used "
  end,
}
