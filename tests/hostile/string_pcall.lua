-- Texts: limit Bytes or Instructions. A caught error gives nothing back.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local s = ("x"):rep(5e5)
    while true do
      pcall(function() s = s:reverse() end) ---! "(Limits."
    end
  end,
}
