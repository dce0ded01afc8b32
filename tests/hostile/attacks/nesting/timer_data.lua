local ecs = require "ecs"
ecs.handler("attack.h", function() end)
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 200000 do t = { t } end
  ecs.after(1, "attack.h", t)
end }
---: names "attack"
