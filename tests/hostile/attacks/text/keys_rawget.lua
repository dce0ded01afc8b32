local ecs = require "ecs"
ecs.system "attack" { run = function()
  local k, t, n = ("k"):rep(16777000), {}, 0
  t[k] = 1
  for i = 1, 1e7 do n = n + rawget(t, k) rawset(t, k, 1) end
end }
