local ecs = require "ecs"
local x = 1/3
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 1e9 do t[1] = @@150{x .. }@@x end
end }
