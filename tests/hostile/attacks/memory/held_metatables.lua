---: ticks 20
local ecs = require "ecs"
local kept = {}
ecs.system("attack", { run = function()
  for i = 1, 100000 do
    kept[#kept % 200000 + 1] = setmetatable({}, { __index = { i } })
  end
  kept = { kept }
end })
