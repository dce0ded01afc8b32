---: quiet
-- A table that contains the one before twice is a tree of 2^40 leaves by value.
local ecs = require "ecs"
local st = ecs.state("attack", {})
ecs.system("attack", { run = function(ctx)
  local t = { 1 }
  for i = 1, 40 do t = { t, t } end
  st.deep = t
end })
