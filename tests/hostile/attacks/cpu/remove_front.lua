local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 240000 do t[i] = i end
  while #t > 0 do table.remove(t, 1) end
end }
