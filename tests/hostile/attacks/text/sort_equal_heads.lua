local ecs = require "ecs"
ecs.system "attack" { run = function()
  local head, t = ("a"):rep(16777000), {}
  for i = 1, 14 do t[i] = head .. (100 - i) end
  for i = 1, 1e5 do table.sort(t, function(a, b) return a < b end) table.sort(t, function(a, b) return b < a end) end
end }
