local ecs = require "ecs"
for i = 1, 50 do
  local st = ecs.state("attack" .. i, {})
  ecs.system("attack" .. i, { run = function(ctx)
    for k = 1, 14 do st["t" .. k] = ("x"):rep(16000000) .. k end
  end })
end
