---: ticks 20
local ecs = require "ecs"
local kept = {}
ecs.system("attack", { run = function(ctx)
  local t = {}
  for i = 1, 200000 do t[{}] = {} end
  kept[t] = t
end })
