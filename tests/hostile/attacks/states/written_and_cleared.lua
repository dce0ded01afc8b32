local ecs = require "ecs"
local st = ecs.state("attack", { t = {} })
ecs.system "attack" { run = function(ctx)
  local t = st.t
  for i = 1, 1e7 do
    t[i % 1000] = i
    t[i * 7 % 1000] = nil
  end
end }
