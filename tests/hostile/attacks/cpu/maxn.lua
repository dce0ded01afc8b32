local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 240000 do t[i + 0.5] = i end
  for i = 1, 1e6 do table.maxn(t) end
end }
