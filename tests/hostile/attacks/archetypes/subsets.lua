-- 65,536 sets of tags.
local ecs = require "ecs"
local T = {}
for i = 1, 17 do T[i] = ecs.tag("AttackT" .. i) end
ecs.system "attack" { run = function()
  for n = 0, 2 ^ 17 - 1 do
    local list, m = {}, n
    for i = 1, 17 do if m % 2 == 1 then list[#list + 1] = T[i] end m = math.floor(m / 2) end
    if #list > 0 then ecs.spawn(unpack(list)) end
  end
end }
