-- Metatables: the same for __newindex.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    for _ = 1, 200 do t = setmetatable({}, { __newindex = t }) end
    t.x = 1 ---! "more than 100 tables"
  end,
}
