local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  local all = {}
  for k = 1, 1000 do
    local t = {}
    for i = 1, 200000 do t[i + 0.5] = i end
    all[k] = t
  end
end })
