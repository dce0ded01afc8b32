local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("a"):rep(16000000)
  for i = 1, 1e6 do select("#", s:byte(1, 7000)) end
end }
