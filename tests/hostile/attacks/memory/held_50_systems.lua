-- Fifty systems of one script each keep as much as a call may.
local ecs = require "ecs"
local kept = {}
for i = 1, 50 do
  ecs.system("attack" .. i, { run = function()
    if kept[i] then return end
    local t = {}
    for k = 1, 14 do t[k] = ("x"):rep(16000000) .. k end
    kept[i] = t
  end })
end
