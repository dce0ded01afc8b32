local ecs = require "ecs"
ecs.system "attack" { run = function()
  while true do
    local t = {}
    for i = 262143, 1, -1000 do t[i] = i end
  end
end }
