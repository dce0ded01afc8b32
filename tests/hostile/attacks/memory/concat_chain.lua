local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  local s = ("x"):rep(40000)
  for i = 1, 100000 do local a = s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. i end
end })
