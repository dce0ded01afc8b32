-- What several systems hold for each other in one tick.
local ecs = require "ecs"
local shared = {}
for i = 1, 40 do
  ecs.system("attack" .. i, { run = function()
    local t = {}
    for k = 1, 12 do t[k] = ("x"):rep(16000000) .. k end
    shared[i] = t
    shared[i - 1] = shared[i - 1] or t
  end })
end
