local ecs = require "ecs"
local function f() table.sort({ 2, 1 }, function() f() return true end) end
ecs.system "attack" { run = function() f() end }
---: names "attack"
