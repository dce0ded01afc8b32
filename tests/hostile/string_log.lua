-- Texts: limit LogLines, and lines are cut. The same long text eight thousand times in one line.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s, t = ("x"):rep(1e6), {}
    for i = 1, 7999 do t[i] = s end
    ecs.log(unpack(t))
    print(s)
    error(s) ---! " more bytes)"
  end,
}
