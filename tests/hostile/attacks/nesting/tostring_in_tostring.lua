local ecs = require "ecs"
local t = setmetatable({}, {})
getmetatable(t).__tostring = function() return tostring(t) end
ecs.system "attack" { run = function() ecs.log(t) print(t) end }
---: names "attack"
