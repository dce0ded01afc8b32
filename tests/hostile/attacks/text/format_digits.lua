---: ticks 4
local ecs = require "ecs"
for i, form in ipairs { "%.99f", "%#.99e" } do
  ecs.system("attack" .. i, { run = function()
    local x
    local format = string.format
    while true do x = format(form, 1e308) x = format(form, 5e-324) end
  end })
end
