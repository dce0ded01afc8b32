---: copies 20
local ecs = require "ecs"
local kept
ecs.system("attack" .. NAME, { run = function()
  if kept then return end
  local t = {}
  for k = 1, 240000 do t[k] = { k } end
  kept = t
end })
