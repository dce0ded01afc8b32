local ecs = require "ecs"
local kept = {}
for i = 1, 50 do
  ecs.system("attack" .. i, { run = function()
    local t = {}
    for k = 1, 200000 do t[k] = function() return k end end
    kept[#kept + 1] = t
  end })
end
