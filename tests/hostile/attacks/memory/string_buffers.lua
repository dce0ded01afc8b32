local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  local s = ("x"):rep(15000000)
  for i = 1, 1000 do local a, b, c, d = s .. 1, s .. 2, s .. 3, s .. 4 end
end })
