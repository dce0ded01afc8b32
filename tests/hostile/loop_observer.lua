-- Loops: limit Instructions. In an observer that a change of its own script wakes.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.on_set(Position, function()
  while true do end ---! "script ran too long: used "
end)

ecs.system "wakes" {
  run = function() ecs.set(ecs.find(Position), Position { x = 1 }) end,
}
