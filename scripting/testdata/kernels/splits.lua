-- Branches that ask first whether another entity has a component.
local ecs = require "ecs"

local Place = ecs.component("Place", { x = ecs.f64(0) })
local Armour = ecs.component("Armour", { left = ecs.u8(10) })
local Foe = ecs.component("Foe", { target = ecs.entity(), home = ecs.entity(), idle = ecs.bool() })

ecs.system "splits" {
  query = { Place, Foe },
  each = function(e, place, foe)
    if ecs.has(foe.target, Place) and place.x > 3 then
      place.x = 3
    end
    if not ecs.has(foe.home, Place) and foe.idle then
      place.x = 1
    end
    if ecs.has(foe.target, Armour) or foe.idle then
      return
    end
    place.x = place.x + 1
    if not ecs.has(foe.home, Armour) or foe.idle then
      return
    end
    place.x = place.x + 2
  end,
}
