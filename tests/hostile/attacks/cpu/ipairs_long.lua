local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 240000 do t[i] = i end
  while true do for i, v in ipairs(t) do end end
end }
