local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 240000 do t[i] = i end
  for i = 2, 239999 do t[i] = nil end
  local n = 0
  for i = 1, 1e9 do n = n + #t end
end }
