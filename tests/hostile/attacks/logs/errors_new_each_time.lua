-- Each error is another one, so that none comes again.
local ecs = require "ecs"
for k = 1, 50 do
  ecs.system("attack" .. k, { run = function() error(("x"):rep(1000) .. ecs.random()) end })
end
---: names "attack"
