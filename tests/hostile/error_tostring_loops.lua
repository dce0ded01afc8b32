-- Errors that lie: nobody calls their __tostring.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    error(setmetatable({}, { __tostring = function() while true do end end })) ---! "error({})"
  end,
}
