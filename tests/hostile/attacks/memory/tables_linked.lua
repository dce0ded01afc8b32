local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  local all
  while true do all = { all } end
end })
