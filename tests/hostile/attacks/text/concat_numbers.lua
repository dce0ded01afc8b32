local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 200000 do t[i] = 1 / i end
  for i = 1, 1e6 do table.concat(t) end
end }
