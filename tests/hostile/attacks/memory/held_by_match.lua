---: quiet
---: ticks 80
local ecs = require "ecs"
local keep, n = {}, 0
ecs.system "attack" { run = function(ctx)
  for i = 1, 10 do n = n + 1; keep[n] = (string.rep("x", 15999990) .. n):match("^(x)") end
end }
