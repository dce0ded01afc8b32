-- World: limit Spawned. Entities without end.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  run = function()
    while true do ecs.spawn(Position) end ---! "(Limits."
  end,
}
