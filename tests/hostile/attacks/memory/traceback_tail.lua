local ecs = require "ecs"
local function f() return f() end
ecs.system("attack", { run = function(ctx) f() end })
