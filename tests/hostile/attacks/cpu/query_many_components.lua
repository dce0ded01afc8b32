---: quiet
local ecs = require "ecs"
local all = {}
for i = 1, 200 do all[i] = ecs.component("Attack" .. i, { x = ecs.f64(0) }) end
ecs.on_start(function() for i = 1, 200 do ecs.spawn(unpack(all, 1, i)) end end)
for j = 1, 100 do
  ecs.system("attack" .. j, { run = function()
    for i = 1, 1e6 do ecs.count { all[1], any = all, optional = all, changed = all } end
  end })
end
