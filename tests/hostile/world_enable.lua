-- World: a script that switches the others off can be undone; the host decides who may.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    ecs.enable("healthy.count", false)
    error("I change my mind") ---! "I change my mind"
  end,
}
