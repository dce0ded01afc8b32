local ecs = require "ecs"
ecs.system "attack" { run = function()
  local f = ("%99.99f"):rep(2000)
  local t = {}
  for i = 1, 2000 do t[i] = 1e308 end
  for i = 1, 1e6 do f:format(unpack(t)) end
end }
