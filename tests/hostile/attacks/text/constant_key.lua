---: ticks 4
local ecs = require "ecs"
ecs.system "attack" { run = function(ctx)
  local t = { a = 1 }
  while true do local x = t["@@60000{x}@@"] end
end }
