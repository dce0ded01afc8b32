-- health.lua: a component that no Go code knows of, and a system that uses it.

local ecs = require "ecs"

local Health = ecs.component("Health", {
  hp = ecs.f32(100),
  max = ecs.f32(100),
  regen = ecs.f32(5), -- points per second
})

ecs.system "health.regen" {
  query = { Health },
  each = function(_, health, ctx)
    health.hp = math.min(health.max, health.hp + health.regen * ctx.dt)
  end,
}

ecs.on_start(function()
  ecs.spawn(Health)                                 -- all defaults
  ecs.spawn(Health { hp = 40 })                     -- one field of its own
  ecs.spawn(Health { hp = 1, max = 30, regen = 2 })
end)
