local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s, x = (" "):rep(16777000) .. "1", 0
  for i = 1, 1e6 do x = tonumber(s) end
end }
