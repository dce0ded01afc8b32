local ecs = require "ecs"
local g
local function f(n) return g(n + 1) end
g = function(n) return f(n + 1) end
ecs.system("attack", { run = function(ctx) f(1) end })
