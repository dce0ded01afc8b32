-- Metatables: a chain of __index tables is followed so far and no farther.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    for _ = 1, 200 do t = setmetatable({}, { __index = t }) end
    local x = t.x ---! "more than 100 tables"
  end,
}
