local ecs = require "ecs"
local function f(n) return f(n + 1) end
ecs.system("attack", { run = function(ctx) coroutine.wrap(f)(1) end })
