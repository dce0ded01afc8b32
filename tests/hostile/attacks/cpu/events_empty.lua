-- There are no events: what counts is what it takes to ask.
local ecs = require "ecs"
local E = ecs.event("AttackE", { n = ecs.f64() })
ecs.system "attack" { run = function() while true do ecs.events(E) end end }
