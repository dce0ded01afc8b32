-- Errors that lie: the error of a limit is caught, stored and raised again as a table.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    local ok, why = pcall(function() while true do end end) ---! "script ran too long: used "
    error({ message = "nothing happened" })
  end,
}
