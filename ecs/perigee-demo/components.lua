-- components.lua: the data of the game. What an entity is, is what it has.
--
-- Everything that more than one file needs is declared here, once, and handed
-- out as one table.

local ecs = require "ecs"

local components = {
  -- Declared by the host in Go: its systems move and collide them.
  Position = ecs.native("Position"),
  Velocity = ecs.native("Velocity"),
  Collider = ecs.native("Collider"),
  Edge = ecs.native("Edge"),

  -- The host's, too: what a view draws of an entity.
  Shape = ecs.native("Shape"),
  Trail = ecs.native("Trail"),
  Bar = ecs.native("Bar"),
  Label = ecs.native("Label"),
  Camera = ecs.native("Camera"),

  -- What can be hurt. `regen` is in points per second.
  Health = ecs.component("Health", {
    hp = ecs.f32(10), max = ecs.f32(10), regen = ecs.f32(0),
  }),

  -- Takes damage in place of Health until it is used up. Rare, so it is sparse.
  Shield = ecs.component("Shield", {
    left = ecs.f32(100), max = ecs.f32(100), recharge = ecs.f32(5),
  }, { sparse = true }),

  -- A member of the swarm. `worth` is the experience for killing it, `sting`
  -- the damage it does when it dives into something.
  Swarmer = ecs.component("Swarmer", {
    kind = ecs.enum("drone", "wasp", "brute", "queen"),
    sting = ecs.f32(2),
    worth = ecs.f32(1),
  }),

  -- An acceleration of its own that keeps a flock from looking like one dot.
  Wander = ecs.component("Wander", { x = ecs.f32(0), y = ecs.f32(0) }),

  -- Something that shoots. `ready` is the time from which it may do so again,
  -- `pierce` how many hits its bullets survive.
  Weapon = ecs.component("Weapon", {
    cooldown = ecs.f32(0.4), damage = ecs.f32(6), pierce = ecs.u8(0),
    range = ecs.f32(260), ready = ecs.f64(0),
  }),

  Bullet = ecs.component("Bullet", {
    damage = ecs.f32(6), pierce = ecs.u8(0), shooter = ecs.entity(),
  }),

  -- Gone when `left` seconds are over.
  Lifetime = ecs.component("Lifetime", { left = ecs.f32(1) }),

  -- Rides on its parent, at an offset.
  Mount = ecs.component("Mount", { dx = ecs.f32(0), dy = ecs.f32(0) }),

  -- Flies an ellipse around the middle of the arena and gathers loot.
  Carrier = ecs.component("Carrier", {
    angle = ecs.f32(0), level = ecs.u16(1), orbit = ecs.f32(0.5), xp = ecs.f64(0),
  }),

  -- Remembers where it stands, so that it can be built again there.
  Tower = ecs.component("Tower", { home_x = ecs.f64(0), home_y = ecs.f64(0) }),

  Loot = ecs.component("Loot", { value = ecs.f32(1) }),

  -- A pool that does something to whoever swims in it.
  Hazard = ecs.component("Hazard", {
    kind = ecs.enum("fire", "frost"), radius = ecs.f32(120),
  }),

  -- On fire: `dps` points of damage per second.
  Burning = ecs.component("Burning", {
    dps = ecs.f32(3), left = ecs.f32(2),
  }, { sparse = true }),

  -- The parts of a queen that hatch new drones.
  Brood = ecs.component("Brood", { litter = ecs.u8(4) }),

  Queen = ecs.tag("Queen"),
  Pilot = ecs.tag("Pilot"), -- the ship of the one who plays
}

return components
