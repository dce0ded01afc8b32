local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("1"):rep(16777000)
  for i = 1, 1e6 do pcall(function() for j = 1, s do end end) end
end }
