local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t, s = {}, ("x"):rep(16000000)
  for i = 1, 200000 do t[i] = "" end
  for i = 1, 1e6 do pcall(table.concat, t, s) end
end }
