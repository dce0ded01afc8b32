local ecs = require "ecs"

ecs.system "broken" {
  run = function()
    local x = = 3
  end,
}
