local ecs = require "ecs"
local A = ecs.tag("AttackA")
local function f(i) ecs.spawn_many(100, A, f) end
ecs.system "attack" { run = function() ecs.spawn_many(10, A, f) end }
