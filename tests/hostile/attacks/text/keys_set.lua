local ecs = require "ecs"
ecs.system "attack" { run = function()
  local k, t = ("k"):rep(16777000), {}
  for i = 1, 1e7 do t[k] = i end
end }
