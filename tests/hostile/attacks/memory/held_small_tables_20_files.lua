---: copies 20
---: names "attack\d*\.lua.*Limits\.Held"
local ecs = require "ecs"
local kept
ecs.system("attack" .. NAME, { run = function()
  if kept then return end
  local t, u = {}, {}
  for k = 1, 160000 do t[k], u[k] = { k }, { k } end
  kept = { t, u }
end })
