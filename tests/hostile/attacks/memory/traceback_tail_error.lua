local ecs = require "ecs"
local function f(n) if n == 0 then error("end") end return f(n - 1) end
ecs.system("attack", { run = function(ctx) while true do pcall(f, 1000000) end end })
