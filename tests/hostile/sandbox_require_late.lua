-- Sandbox: nothing is loaded while systems run.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    require "healthy" ---! "scripts are required at the top level"
  end,
}
