---: ticks 4
local ecs = require "ecs"
for i, text in ipairs { "1.7976931348623158079372897140530341507993e308" } do
  ecs.system("attack" .. i, { run = function()
    local x
    while true do x = tonumber(text) x = text + 1 end
  end })
end
