local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  t[260000] = 1
  t[260000] = nil
  local n = 0
  for i = 1, 1e9 do n = n + #t t[#t + 1] = nil end
end }
