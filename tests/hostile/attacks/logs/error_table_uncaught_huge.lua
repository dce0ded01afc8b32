---: quiet
local ecs = require "ecs"
for j = 1, 50 do
  ecs.system("attack" .. j, { run = function(ctx)
    local m = {}
    for i = 1, 1000 do m["k" .. i .. ("z"):rep(1000)] = ("v"):rep(1000000) end
    error(m)
  end })
end
