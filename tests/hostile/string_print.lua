-- Texts: limit String. print puts a line together, too.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s, t = ("x"):rep(1e6), {}
    for i = 1, 200 do t[i] = s end
    print(unpack(t)) ---! "(Limits.String)"
  end,
}
