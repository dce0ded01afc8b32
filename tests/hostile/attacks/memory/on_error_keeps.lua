local ecs = require "ecs"
local kept = {}
ecs.system("attack", { run = function(ctx)
  local big = ("x"):rep(1000000)
  error(big .. ctx.tick)
end })
ecs.on_error(function(err) for i = 1, 14 do kept[#kept + 1] = err.message .. ("y"):rep(14000000) end end)
---: names "attack"
