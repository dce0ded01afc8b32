local ecs = require "ecs"
ecs.system "attack" { run = function()
  local t = {}
  for i = 1, 240000 do table.insert(t, 1, i) end
end }
