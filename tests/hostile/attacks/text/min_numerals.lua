local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("1"):rep(16777000)
  local t = {}
  for i = 1, 8000 do t[i] = s end
  math.min(unpack(t, 1, 8000))
end }
