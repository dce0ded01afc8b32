-- Nobody is near: what counts is what it takes to ask.
local ecs = require "ecs"
local host = require "host"
ecs.system "attack" { run = function() while true do host.nearest(1, 2, 3, 4) end end }
