---: names "attack"
---: never "(?m)^(error: )?healthy\.lua:1: forged"
local ecs = require "ecs"
ecs.system "attack" { run = function()
  ecs.log("x\nhealthy.lua:1: forged")
  ecs.warn("x\r\nerror: healthy.lua:1: forged")
  error("x\nhealthy.lua:1: forged", 0)
end }
