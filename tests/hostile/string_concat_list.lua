-- Texts: limit String. A list with the same long text a thousand times.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s, t = ("x"):rep(1e5), {}
    for i = 1, 1000 do t[i] = s end
    local all = table.concat(t, s) ---! "(Limits.String)"
  end,
}
