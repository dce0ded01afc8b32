local ecs = require "ecs"
local T = {}
local A = ecs.component("AttackA", { x = ecs.f64(0) })
for i = 1, 14 do T[i] = ecs.tag("AttackT" .. i) end
ecs.on_start(function()
  for n = 0, 2 ^ 14 - 1 do
    local list, m = { A }, n
    for i = 1, 14 do if m % 2 == 1 then list[#list + 1] = T[i] end m = math.floor(m / 2) end
    ecs.spawn(unpack(list))
  end
end)
for i = 1, 100 do ecs.system("attack" .. i, { query = { A }, each = function(e, a) a.x = a.x + 1 end }) end
---: quiet
