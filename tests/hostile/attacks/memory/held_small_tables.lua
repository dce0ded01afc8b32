local ecs = require "ecs"
local kept = {}
for i = 1, 50 do
  ecs.system("attack" .. i, { run = function()
    if kept[i] then return end
    local t = {}
    for k = 1, 200000 do t[k] = { k } end
    kept[i] = t
  end })
end
