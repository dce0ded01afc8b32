local ecs = require "ecs"
ecs.system "attack" { run = function()
  local head, t = ("a"):rep(10000000), {}
  for i = 1, 20 do t[i] = head .. (100 - i) end
  table.sort(t)
  table.sort(t)
end }
---: quiet
