-- World: limit Instructions. Everybody, again and again: the second time nobody is left, and the search
-- for them is counted; in the end nobody is gone.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  run = function()
    while true do ecs.despawn_all(Position) end ---! "(Limits.Instructions)"
  end,
}
