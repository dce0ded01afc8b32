local ecs = require "ecs"
local kept = {}
ecs.system("attack", { run = function(ctx)
  for i = 1, 10 do kept[#kept + 1] = ("x"):rep(16000000) .. i end
end })
ecs.on_unload(function() return { kept = kept } end)
