-- events.lua: what happens in the game, as facts that other files react to.
--
-- The file that knows emits; whoever is interested listens. So loot, score and
-- director never call each other, and each can be rewritten alone.

local ecs = require "ecs"

local events = {
  -- From the host: the collider `a` looks for the layer of `b`, and they touch.
  Collision = ecs.native_event("Collision"),

  -- `target` is to lose `amount` points; `source` is who did it, 0 for nobody.
  Damage = ecs.event("Damage", {
    amount = ecs.f32(1), source = ecs.entity(), target = ecs.entity(),
  }),

  -- A swarmer died at (x, y). Its entity is gone when listeners hear of it.
  Killed = ecs.event("Killed", {
    kind = ecs.enum("drone", "wasp", "brute", "queen"),
    worth = ecs.f32(1), x = ecs.f64(0), y = ecs.f64(0),
  }),

  -- A carrier flew over loot.
  Picked = ecs.event("Picked", { carrier = ecs.entity(), value = ecs.f32(1) }),
}

return events
