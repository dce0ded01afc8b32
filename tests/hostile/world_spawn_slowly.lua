-- World: the world has a limit of its own, which a script reaches tick by tick; the others live on with what they have.
local ecs = require "ecs"
local Junk = ecs.tag("Junk")

ecs.system "hostile" {
  run = function()
    ecs.spawn_many(4900, Junk) ---! "entity limit"
  end,
}
