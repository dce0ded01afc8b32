-- World: nobody is below itself.
local ecs = require "ecs"
local Position = ecs.native("Position")

ecs.system "hostile" {
  run = function()
    local a = ecs.find(Position)
    ecs.set_parent(a, a) ---! "cannot be a child"
  end,
}
