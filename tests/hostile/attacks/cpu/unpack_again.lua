local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 7000 do t[i] = i end
  while true do local a = unpack(t) end
end }
