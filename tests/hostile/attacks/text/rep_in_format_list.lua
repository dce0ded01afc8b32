local ecs = require "ecs"
ecs.system "attack" { run = function()
  local a = {}
  for i = 1, 200 do a[i] = ("x"):rep(80000) end
  local f = ("%s"):rep(200)
  while true do local s = f:format(unpack(a)) end
end }
