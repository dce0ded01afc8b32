-- Entities with large values get three small ones: all of the large ones are moved for each.
---: ticks 30
---: names "Limits.CommandBytes"
local ecs = require "ecs"
local Big = ecs.component("Big", { xs = ecs.array(ecs.f64(), 4096) })
local Small = ecs.component("Small", { x = ecs.f64(1) })
local Red, Blue = ecs.tag("Red"), ecs.tag("Blue")
ecs.system "grow" { run = function(ctx) if ctx.tick <= 16 then ecs.spawn_many(250, Big) end end }
ecs.system "move" { query = { Big }, when = function(ctx) return ctx.tick > 20 end, each = function(e) ecs.add(e, Small) ecs.add(e, Red) ecs.add(e, Blue) end }
