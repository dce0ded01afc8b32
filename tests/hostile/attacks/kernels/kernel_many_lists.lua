---: quiet
local ecs = require "ecs"
local C = ecs.component("AttackC", { x = ecs.f64(0), i = ecs.u16(1) })
local lists = {}
local L1, L2, L3, L4, L5, L6 = {}, {}, {}, {}, {}, {}
for i = 1, 600 do L1[i], L2[i], L3[i], L4[i], L5[i], L6[i] = i, i, i, i, i, i end
ecs.on_start(function() ecs.spawn_many(100, C) end)
for j = 1, 300 do
  ecs.system("attack" .. j, { query = { C }, each = function(e, c)
    local s = 0
    for i, v in ipairs(L1) do s = s + v * L2[c.i] + L3[c.i] + L4[i] + L5[i] + L6[i] end
    c.x = s
  end })
end
