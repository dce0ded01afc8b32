local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  local all = {}
  for k = 1, 2000000 do
    all[k % 240000 + 1] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, a = 1, b = 2, c = 3, d = 4, e = 5, f = 6 }
  end
end })
