local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("0"):rep(16777000) .. "65"
  local t = {}
  for i = 1, 3000 do t[i] = s end
  string.format(("%d"):rep(3000), unpack(t, 1, 3000))
end }
