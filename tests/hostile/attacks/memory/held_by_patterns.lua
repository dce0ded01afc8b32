---: ticks 100
---: quiet
local ecs = require "ecs"
local n = 0
ecs.system "attack" { run = function(ctx)
  n = n + 1
  ;("x"):find("[" .. ("a"):rep(15000000) .. n .. "]")
end }
