---: copies 2
local ecs = require "ecs"
_G.M = {}
ecs.system("attack" .. NAME, { run = function(ctx)
  for i = 1, 14 do M[#M + 1] = ("x"):rep(16000000) .. i end
end })
return M
