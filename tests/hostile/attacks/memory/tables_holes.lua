local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  local all = {}
  for k = 1, 1000000 do
    local t = {}
    t[262143] = 1
    all[k] = t
  end
end })
