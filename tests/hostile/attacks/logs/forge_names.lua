---: names "attack"
---: never "(?m)^(error: )?healthy\.lua:1: forged"
---: never "[\x00-\x08\x0b-\x1f\x7f]"
local ecs = require "ecs"
ecs.system("a\n\27[2Jhealthy.lua:1: forged", { run = function() error("x") end })
ecs.handler("h\nhealthy.lua:1: forged\27", function() error("y") end)
ecs.on_start(function() ecs.after(0.01, "h\nhealthy.lua:1: forged\27") end)
