-- harbour.lua: ships that the scene places, and that the game moves.

local ecs = require "ecs"

local Place = ecs.native("Place")
local Speed = ecs.component("Speed", { value = ecs.f64(1) })

ecs.prefab("Ship", { Place, Speed { value = 2 } })

ecs.on_start(function()
  ecs.load_scene("harbour")
end)

ecs.system "ship.sail" {
  query = { Place, Speed },
  each = function(_, place, speed, ctx)
    place.x = place.x + speed.value * ctx.dt
  end,
}
