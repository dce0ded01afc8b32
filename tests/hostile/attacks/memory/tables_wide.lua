local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  local all = {}
  for k = 1, 1000 do
    local t = {}
    for i = 1, 249000 do t[i] = i end
    all[k] = t
  end
end })
