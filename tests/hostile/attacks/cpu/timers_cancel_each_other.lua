-- Ten thousand timers of each of ten files are due in one tick, and each makes and cancels
-- others while a list of all of them is gone through.
local ecs = require "ecs"
local ids = ecs.state(NAME, { list = {} })
ecs.handler(NAME, function(i)
  ecs.cancel(i)
  ecs.after(1e6, NAME, i)
end)
ecs.handler(NAME .. "beat", function() end)
ecs.on_start(function()
  for i = 1, 5000 do ecs.after(0.05, NAME, i) end
  for i = 1, 4999 do ecs.every(0.001, NAME .. "beat") end
end)
---: copies 10
---: quiet
