local ecs = require "ecs"
ecs.system("attack", { run = function(ctx)
  local kept = {}
  local t = {}
  for i = 1, 7000 do t[i] = i end
  while true do kept[#kept + 1] = { unpack(t) } end
end })
