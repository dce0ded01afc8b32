local ecs = require "ecs"
local T = {}
for i = 1, 14 do T[i] = ecs.tag("AttackT" .. i) end
ecs.system "attack" { run = function()
  for n = 1, 2 ^ 14 - 1 do
    local q, m = { without = {} }, n
    for i = 1, 14 do if m % 2 == 1 then q[#q + 1] = T[i] else q.without[#q.without + 1] = T[i] end m = math.floor(m / 2) end
    if #q > 0 then ecs.count(q) end
  end
end }
---: quiet
