-- Coroutines: limit Coroutines. A hundred in each tick, which nobody ends.
local ecs = require "ecs"

local crowd = {}

ecs.system "hostile" {
  run = function()
    for _ = 1, 700 do
      local co = coroutine.wrap(function() coroutine.yield() end) ---! "(Limits.Coroutines)"
      co()
      crowd[#crowd + 1] = co
    end
  end,
}
