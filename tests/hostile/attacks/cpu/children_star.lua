---: quiet
local ecs = require "ecs"
local T = ecs.tag "AttackT"
local top
ecs.on_start(function() top = ecs.spawn(T); local l = ecs.spawn_many(150000, T); for i = 1, #l do ecs.set_parent(l[i], top) end end)
ecs.system "attack" { run = function(ctx)
  for i = 1, 1e6 do
    local c = ecs.children(top)
    ecs.set_parent(c[1], nil) ecs.set_parent(c[1], top)
  end
end }
