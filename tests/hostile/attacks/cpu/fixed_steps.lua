local ecs = require "ecs"
for i = 1, 20 do
  ecs.system("attack" .. i, { fixed = true, run = function() local n = 0 for k = 1, 4e6 do n = n + 1 end end })
end
---: quiet
