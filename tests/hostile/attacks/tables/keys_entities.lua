local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 1e9 do t[2 ^ 24 * i] = i t[2 ^ 52 - i] = nil end
end }
