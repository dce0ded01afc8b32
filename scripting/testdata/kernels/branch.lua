-- A branch whose arms only assign.
local ecs = require "ecs"

local Door = ecs.component("Door", { open = ecs.f64(0), wanted = ecs.bool(false) })
local speed = 2

ecs.system "branch" {
  query = { Door },
  each = function(e, door, ctx)
    if door.wanted then
      door.open = math.min(door.open + speed * ctx.dt, 1)
    elseif door.open > 0 then
      door.open = door.open - ctx.dt
    end
  end,
}
