local ecs = require "ecs"
local T = {}
for i = 1, 40 do T[i] = ecs.tag("AttackT" .. i) end
ecs.system "attack" { run = function()
  while true do
    local q = { any = {}, without = {} }
    for i = 1, 40 do local r = ecs.random(4) if r == 1 then q[#q + 1] = T[i] elseif r == 2 then q.any[#q.any + 1] = T[i] elseif r == 3 then q.without[#q.without + 1] = T[i] end end
    if #q > 0 then ecs.count(q) end
  end
end }
