-- Errors that lie: a table with a message.
local ecs = require "ecs"

ecs.system "hostile" {
  run = function()
    error({ message = "I am the culprit" }) ---! "I am the culprit"
  end,
}
