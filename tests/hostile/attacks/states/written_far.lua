local ecs = require "ecs"
local st = ecs.state("attack", { t = {} })
ecs.system "attack" { run = function(ctx)
  local t = st.t
  for i = 1, 1e7 do
    t[i % 200000] = i
  end
end }
