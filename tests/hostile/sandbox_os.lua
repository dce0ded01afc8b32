-- Sandbox: no clock but the ticks'.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    os.execute("true") ---! "unknown name \"os\""
  end,
}
