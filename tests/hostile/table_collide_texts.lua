-- Tables: long texts as keys that differ in one byte each, where a hash that skips bytes
-- does not look.
---! place "(Limits."
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t, long = {}, ("x"):rep(600)
    local n = 0
    while true do
      for at = 1, 600 do
        n = n + 1
        t[long:sub(1, at - 1) .. string.char(48 + n % 70) .. long:sub(at + 1)] = n
      end
    end
  end,
}
