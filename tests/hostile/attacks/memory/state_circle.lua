---: quiet
local ecs = require "ecs"
local st = ecs.state("attack", {})
ecs.system("attack", { run = function(ctx)
  local t = {}
  t.t = t
  st.t = t
end })
