---: copies 20
local ecs = require "ecs"
local kept
ecs.system("attack" .. NAME, { run = function()
  if kept then return end
  local t = {}
  for k = 1, 14 do t[k] = ("x"):rep(16000000) .. k end
  kept = t
end })
