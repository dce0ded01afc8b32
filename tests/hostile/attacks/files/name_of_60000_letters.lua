---: load
---: names name is 60000 letters long, more than 255
local ecs = require "ecs"
@@60000{x}@@ = 1
ecs.system "attack" { run = function(ctx)
  local y
  while true do y = @@60000{x}@@ end
end }
