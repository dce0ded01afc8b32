---: quiet
-- next over a table whose keys are all gone, again and again.
local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 240000 do t["k" .. i] = i end
  for i = 1, 240000 do t["k" .. i] = nil end
  for i = 1, 1e6 do next(t) end
end }
