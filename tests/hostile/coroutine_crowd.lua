-- Coroutines: limit Coroutines.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local crowd = {}
    while true do
      crowd[#crowd + 1] = coroutine.create(function() end) ---! "too many coroutines: 2,001 of 2,000 are alive (Limits.Coroutines)"
    end
  end,
}
