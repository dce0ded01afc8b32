-- lifetimes.lua: bullets and loot do not stay for ever.

local ecs = require "ecs"
local components = require "components"

local Lifetime = components.Lifetime

ecs.system "lifetimes.expire" {
  priority = 95, every = 0.1, query = { Lifetime },
  each = function(e, life, ctx)
    life.left = life.left - ctx.dt
    if life.left <= 0 then
      ecs.despawn(e)
    end
  end,
}
