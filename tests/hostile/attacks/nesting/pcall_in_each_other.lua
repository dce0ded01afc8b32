local ecs = require "ecs"
local function f() return pcall(f) end
ecs.system "attack" { run = function() while true do f() end end }
---: names "attack"
