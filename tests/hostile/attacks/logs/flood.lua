---: quiet
local ecs = require "ecs"
ecs.system "attack" { run = function() for i = 1, 100000 do ecs.log("line " .. i) end end }
