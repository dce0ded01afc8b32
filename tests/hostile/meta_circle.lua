-- Metatables: a table that is its own __index.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = {}
    t.__index, t.__newindex = t, t
    setmetatable(t, t)
    assert(not pcall(function() t.x = 1 end))
    local x = t.x ---! "more than 100 tables"
  end,
}
