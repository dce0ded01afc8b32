-- World: limit Commands. Adding and removing.
local ecs = require "ecs"
local Position, Junk = ecs.native("Position"), ecs.tag("Junk")

ecs.system "hostile" {
  run = function()
    local e = ecs.find(Position)
    while true do
      ecs.add(e, Junk) ---! "(Limits.Commands)"
      ecs.remove(e, Junk) ---! "(Limits.Commands)"
    end
  end,
}
