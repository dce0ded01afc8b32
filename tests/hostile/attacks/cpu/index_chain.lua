local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  local t = { zz = 1 }
  for i = 1, 90 do t = setmetatable({}, { __index = t }) end
  local x
  while true do x = t.zz x = t.zz x = t.zz x = t.zz x = t.zz x = t.zz x = t.zz x = t.zz end
end }
