local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 240000 do t["k" .. i] = 1 end
  for i = 1, 1e8 do pcall(next, t, "nothere" .. i) end
end }
