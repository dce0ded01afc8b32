local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s, t = ("x"):rep(16000000), {}
  for i = 1, 1e6 do t[i % 100] = s:sub(i % 10) .. "y" end
end }
