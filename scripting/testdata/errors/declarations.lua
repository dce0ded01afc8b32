local ecs = require "ecs"
local P = ecs.native("Positon")

ecs.system "a" {
  phase = "logik",
  query = { P },
  each = function(e, p) p.x = 1 end,
}

ecs.system "b" {
	qery = { P },
	run = function() end,
}

spwan()
