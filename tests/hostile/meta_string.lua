-- Metatables: that of texts is locked, and methods are those of the library.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    assert(getmetatable("") == false)
    assert(not pcall(setmetatable, "", {}))
    string.upper, string.len = nil, error
    assert(("x"):upper() == "X" and ("x"):len() == 1)
    getmetatable("").__index = {} ---! "attempt to index \"getmetatable(…)\", a boolean value"
  end,
}
