---: quiet
local ecs = require "ecs"
local st = ecs.state("attack", {})
ecs.system("attack", { run = function(ctx)
  local t = {}
  for i = 1, 200000 do t = { t } end
  st.deep = t
end })
