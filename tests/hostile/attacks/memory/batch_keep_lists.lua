---: quiet
---: ticks 30
local ecs = require "ecs"
local C = ecs.component("AttackC", { x = ecs.f64(0), y = ecs.f64(0) })
local keep = {}
ecs.on_start(function() ecs.spawn_many(190000, C) end)
ecs.system("attack", { query = { C }, batch = function(b)
  keep[#keep + 1] = b:read(C, "x"); keep[#keep + 1] = b:read(C, "y"); keep[#keep + 1] = b.entities
end })
