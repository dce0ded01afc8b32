-- Metatables: only tables get one.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    for _, v in ipairs { 1, "x", true, print, coroutine.create(function() end), ecs.on_start } do
      assert(not pcall(setmetatable, v, {}))
    end
    setmetatable(print, { __index = {} }) ---! "table expected, got function"
  end,
}
