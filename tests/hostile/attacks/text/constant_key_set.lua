local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  local t = { a = 1 }
  while true do t["@@60000{x}@@"] = 1 end
end }
