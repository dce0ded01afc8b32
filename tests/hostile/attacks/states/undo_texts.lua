local ecs = require "ecs"
local st = ecs.state("attack", { t = {} })
ecs.system "attack" { run = function(ctx)
  local s = ("x"):rep(100000)
  for i = 1, 1e7 do st.t = s .. i end
end }
