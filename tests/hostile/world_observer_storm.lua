-- World: observers that wake each other are ended by the world.
local ecs = require "ecs"
local Position, Velocity = ecs.native("Position"), ecs.native("Velocity")

ecs.on_set(Position, function(e) ecs.set(e, Velocity { x = 1 }) end)
ecs.on_set(Velocity, function(e) ecs.set(e, Position { x = 1 }) end)

ecs.system "hostile" {
  run = function() ecs.set(ecs.find(Position), Position { x = 2 }) end,
}
---! place "without end"
