---: ticks 20
local ecs = require "ecs"
local f = function() end
ecs.system("attack", { run = function()
  for i = 1, 200000 do
    local g, s = f, { i, i, i }
    f = function() return g, s end
  end
end })
