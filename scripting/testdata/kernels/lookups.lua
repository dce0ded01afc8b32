-- Several components of other entities, one of them changed, and what is done where one
-- is missing.
local ecs = require "ecs"

local Place = ecs.component("Place", { x = ecs.f64(0) })
local Armour = ecs.component("Armour", { left = ecs.u8(10) })
local Foe = ecs.component("Foe", { target = ecs.entity(), home = ecs.entity(), idle = ecs.bool() })

ecs.system "lookups" {
  query = { Place, Foe },
  each = function(e, place, foe)
    if foe.target == foe.home or not ecs.alive(foe.target) then
      foe.idle = true
      return
    end
    local at = ecs.get(foe.target, Place)
    if not at then
      foe.idle = false
      return
    end
    place.x = at.x
    if ecs.has(foe.home, Armour) and not foe.idle then
      ecs.set(foe.target, Armour { left = 3 })
    end
    if ecs.has(e, Armour) then return end
    foe.idle = (ecs.get(foe.target, Armour, "left") or 0) > 5
  end,
}
