local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 10 do t[("k"):rep(16777000) .. i] = i end
  for i = 1, 1e7 do for k, v in pairs(t) do end next(t) end
end }
