---: names "more than 100 tables"
local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = { x = 1 }
  for i = 1, 200000 do t = setmetatable({}, { __index = t }) end
  local n = 0
  while true do n = n + (t.x or 0) end
end }
