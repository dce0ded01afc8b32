-- Loops: limit Instructions. In a __tostring that the log asks.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local t = setmetatable({}, { __tostring = function() while true do end end }) ---! "script ran too long: used "
    ecs.log(t)
  end,
}
