-- Another entity, found by its handle.
local ecs = require "ecs"

local Place = ecs.component("Place", { x = ecs.f64(0) })
local Leash = ecs.component("Leash", { owner = ecs.entity() })

ecs.system "handle" {
  query = { Place, Leash },
  each = function(e, place, leash)
    local owner = ecs.get(leash.owner, Place)
    if owner then
      place.x = owner.x - 1
    end
  end,
}
