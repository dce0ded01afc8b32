-- Texts: limit Bytes or Instructions. A table with long keys.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    for i = 1, 1e6 do t[("k"):rep(1e6) .. i] = true end ---! "(Limits."
  end,
}
