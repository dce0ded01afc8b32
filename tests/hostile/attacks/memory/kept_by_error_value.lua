local ecs = require "ecs"
local kept = {}
ecs.system("attack", { run = function(ctx)
  local t = {}
  for i = 1, 10 do t[i] = ("x"):rep(16000000) .. i end
  kept[#kept + 1] = t
  error(t)
end })
---: names "attack"
