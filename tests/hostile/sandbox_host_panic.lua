-- Sandbox: a host function that panics costs one call.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    require("host").panic() ---! "the host fell over"
  end,
}
