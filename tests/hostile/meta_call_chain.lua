-- Metatables: a table that is called, whose __call is such a table.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = print
    for _ = 1, 200 do t = setmetatable({}, { __call = t }) end
    t() ---! "attempt to call"
  end,
}
