-- Texts: limit Bytes or Instructions. Many long ones, each of which may be.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local all = {}
    for i = 1, 1e6 do all[i] = ("x"):rep(1e6 - i) end ---! "(Limits."
  end,
}
