local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s, x = "0." .. ("0"):rep(16777000) .. "1e16777001", 0
  for i = 1, 1e6 do x = tonumber(s) end
end }
