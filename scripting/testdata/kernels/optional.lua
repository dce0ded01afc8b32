-- A component that rows may lack.
local ecs = require "ecs"

local Place = ecs.component("Place", { x = ecs.f64(0) })
local Wind = ecs.component("Wind", { x = ecs.f32(0) })

ecs.system "optional" {
  query = { Place, optional = { Wind } },
  each = function(e, place, wind, ctx)
    if wind then
      place.x = place.x + wind.x * ctx.dt
    end
  end,
}
