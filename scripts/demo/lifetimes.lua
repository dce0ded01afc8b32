-- lifetimes.lua: bullets and loot do not stay for ever.

local ecs = require "ecs"
local components = require "components"

local Lifetime = components.Lifetime

-- The column is counted down as a whole; only a chunk in which something ran
-- out is looked through.
ecs.system "lifetimes.expire" {
  priority = 95, every = 0.1, query = { Lifetime },
  batch = function(b, ctx)
    local left = b:col(Lifetime, "left")
    left:sub(ctx.dt)
    if left:lowest() > 0 then
      return
    end
    local seconds, entities = b:read(Lifetime, "left"), b.entities
    for i = 1, b.n do
      if seconds[i] <= 0 then
        ecs.despawn(entities[i])
      end
    end
  end,
}
