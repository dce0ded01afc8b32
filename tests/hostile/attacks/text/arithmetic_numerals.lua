local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s, x = ("1"):rep(16777000), 0
  for i = 1, 1e6 do x = x + s * s - s / s % s ^ s end
end }
