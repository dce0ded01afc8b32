local ecs = require "ecs"
local T = {}
for i = 1, 12 do T[i] = ecs.component("AttackT" .. i, { x = ecs.array(ecs.f64(), 512) }) end
ecs.system "attack" { run = function()
  for n = 1, 2 ^ 12 - 1 do
    local list, m = {}, n
    for i = 1, 12 do if m % 2 == 1 then list[#list + 1] = T[i] end m = math.floor(m / 2) end
    if #list > 0 then ecs.spawn(unpack(list)) end
  end
end }
---: quiet
