local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 200000 do t[i] = i % 7 end
  for i = 1, 1e6 do table.sort(t, function(a, b) return true end) end
end }
