-- Sandbox: a host function that calls back into the script runs on its budget.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    require("host").call(function() while true do end end) ---! "script ran too long"
  end,
}
