---: ticks 4
local ecs = require "ecs"
for i = 1, 2 do
  ecs.system("attack" .. i, { run = function()
    local x
    local fmod = math.fmod
    while true do x = fmod(1e308, 3e-308) x = fmod(-1e308, 5e-324) end
  end })
end
