---: load
local ecs = require "ecs"
local st = ecs.state("attack", { t = {} })
for i = 1, 1e7 do
  st.t[i % 1000] = i
end
