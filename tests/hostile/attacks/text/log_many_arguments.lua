local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 7000 do t[i] = ("x"):rep(1000) end
  for i = 1, 1e6 do ecs.log(unpack(t)) end
end }
