-- All entities with large values lose them in one tick, and an observer gets each.
---: ticks 30
---: names "Limits.CommandBytes"
local ecs = require "ecs"
local Big = ecs.component("Big", { xs = ecs.array(ecs.f64(), 4096) })
ecs.on_remove(Big, function() end)
ecs.system "grow" { run = function(ctx) if ctx.tick <= 16 then ecs.spawn_many(650, Big) end end }
ecs.system "end" { run = function(ctx) if ctx.tick == 20 then ecs.despawn_all { Big } end end }
ecs.system "lose" { query = { Big }, when = function(ctx) return ctx.tick == 22 end, each = function(e) ecs.remove(e, Big) end }
ecs.system "die" { query = { Big }, when = function(ctx) return ctx.tick == 24 end, each = function(e) ecs.despawn(e) end }
