-- World: limit Commands. Everybody, again and again; in the end nobody is gone.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  run = function()
    while true do ecs.despawn_all(Position) end ---! "(Limits.Commands)"
  end,
}
