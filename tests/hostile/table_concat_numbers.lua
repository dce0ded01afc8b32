-- Tables: limit String. A list of numbers that becomes long as a text.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    for i = 1, 40000 do t[i] = 1 / 3 end
    local s = table.concat(t, ("x"):rep(1000)) ---! "(Limits.String)"
  end,
}
