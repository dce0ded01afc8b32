local ecs = require "ecs"
for i = 1, 500 do
  ecs.system("attack" .. i, { when = function() local n = 0 for i = 1, 1e6 do n = n + 1 end return false end, run = function() end })
end
---: quiet
