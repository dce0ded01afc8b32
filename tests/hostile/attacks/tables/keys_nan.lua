local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 1e9 do t[i * 1e10] = i t[-i] = i end
end }
