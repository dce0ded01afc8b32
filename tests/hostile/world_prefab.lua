-- World: a prefab whose children have children: 2^20 of them.
local ecs = require "ecs"
local Junk = ecs.tag("Junk")

local p = ecs.prefab("Leaf", { Junk })
for i = 1, 20 do
  p = ecs.prefab("Level" .. i, { Junk, children = { p, p } }) ---! "has more than 10,000 entities"
end
