local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  local t = {}
  while true do t[#t % 249999 + 1] = function() return t end end
end })
