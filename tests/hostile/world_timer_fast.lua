-- World: timers fire so often in a tick and no more.
local ecs = require "ecs"

local n = 0
ecs.handler("fast", function()
  n = n + 1
  if n == 300 then error("often enough") end ---! "often enough"
end)

ecs.on_start(function()
  for _ = 1, 100 do ecs.every(0.001, "fast") end
end)
