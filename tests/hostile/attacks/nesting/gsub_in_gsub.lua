local ecs = require "ecs"
local function f() return (("x"):gsub("x", f)) end
ecs.system "attack" { run = function() f() end }
---: names "attack"
