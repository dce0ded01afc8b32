local ecs = require "ecs"
local function f() return coroutine.wrap(f)() end
ecs.system "attack" { run = function() f() end }
