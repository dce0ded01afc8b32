local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s, x = ("z"):rep(16777000), 0
  for i = 1, 1e6 do x = tonumber(s, 36) end
end }
