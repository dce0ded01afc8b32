---: quiet
local ecs = require "ecs"
local T = ecs.tag "AttackT"
ecs.on_start(function() ecs.spawn_many(1000, T) end)
ecs.system "attack" { run = function(ctx)
  local all = {}
  for e in ecs.entities { T } do all[#all + 1] = e end
  for j = 1, 1e4 do for i = 1, #all do pcall(ecs.set_parent, all[i], all[i % #all + 1]) end end
end }
