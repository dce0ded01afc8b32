local ecs = require "ecs"
ecs.system "attack" { run = function()
  local head = ("a"):rep(16777000)
  local a, b, n = head .. "1", head .. "2", 0
  for i = 1, 1e7 do if rawequal(a, b) then n = n + 1 end end
end }
