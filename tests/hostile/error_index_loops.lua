-- Errors that lie: the field message is read raw.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    error(setmetatable({}, { __index = function() while true do end end })) ---! "error({})"
  end,
}
