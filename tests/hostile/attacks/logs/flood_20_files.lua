---: quiet
---: copies 20
local ecs = require "ecs"
ecs.system("attack" .. NAME, { run = function() for i = 1, 10000 do ecs.log(("x"):rep(10000)) end end })
