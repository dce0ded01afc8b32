-- Metatables: __metatable protects, also from who set it.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = setmetatable({}, { __metatable = "mine" })
    assert(getmetatable(t) == "mine")
    setmetatable(t, nil) ---! "cannot change a protected metatable"
  end,
}
