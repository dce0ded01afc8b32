-- One call ends all entities, one command all children, and pcall tries again.
---: ticks 40
---: quiet
local ecs = require "ecs"
local S, Top = ecs.component("S", { x = ecs.f64(1) }), ecs.tag("Top")
ecs.system "grow" { run = function(ctx)
  if ctx.tick == 1 then ecs.spawn(Top) end
  if ctx.tick > 1 and ctx.tick <= 25 then
    local top = ecs.find { Top }
    for _, e in ipairs(ecs.spawn_many(2500, S)) do ecs.set_parent(e, top) end
  end
end }
ecs.system "all" { run = function(ctx) if ctx.tick == 30 then ecs.despawn_all { S } end end }
ecs.system "again" { run = function(ctx) if ctx.tick == 32 then for _ = 1, 1e5 do pcall(ecs.despawn_all, { S }) end end end }
ecs.system "family" { run = function(ctx) if ctx.tick == 34 then ecs.despawn(ecs.find { Top }) end end }
