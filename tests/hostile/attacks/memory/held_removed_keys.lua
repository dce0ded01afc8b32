---: ticks 40
---: quiet
local ecs = require "ecs"
local kept = {}
ecs.system("attack", { run = function(ctx)
  local t = {}
  kept[#kept + 1] = t
  for i = 1, 200000 do t["k" .. i] = i t["k" .. i] = nil end
end })
