-- prefabs.lua: everything that can be spawned, as lists of components.
--
-- A prefab may contain another one: what comes later in the list wins. All
-- three small swarmers have the same components, so they share their chunks and
-- one batch serves them all.

local ecs = require "ecs"
local components = require "components"
local layers = require "lib.layers"

local Position, Velocity = components.Position, components.Velocity
local Collider, Health, Mount = components.Collider, components.Health, components.Mount
local Swarmer, Weapon = components.Swarmer, components.Weapon

local prefabs = {}

-- The swarm -----------------------------------------------------------------

prefabs.drone = ecs.prefab("Drone", {
  Position, Velocity, components.Wander,
  Swarmer { kind = "drone", sting = 2, worth = 1 },
  Health { hp = 10, max = 10 },
  Collider { radius = 4, layer = layers.swarm },
})

prefabs.wasp = ecs.prefab("Wasp", {
  prefabs.drone,
  Swarmer { kind = "wasp", sting = 6, worth = 2 },
  Health { hp = 5, max = 5 },
})

prefabs.brute = ecs.prefab("Brute", {
  prefabs.drone,
  Swarmer { kind = "brute", sting = 12, worth = 5 },
  Health { hp = 40, max = 40, regen = 2 },
})

-- A queen carries her brood in pods around her body.
local pod = ecs.prefab("Pod", { Position, Mount, components.Brood { litter = 4 } })

prefabs.queen = ecs.prefab("Queen", {
  Position, Velocity, components.Queen,
  Swarmer { kind = "queen", sting = 0, worth = 500 },
  Health { hp = 1200, max = 1200, regen = 2 },
  components.Shield { left = 300, max = 300, recharge = 5 },
  Collider { radius = 32, layer = layers.swarm },
  children = {
    { pod, Mount { dx = -30, dy = 0 } },
    { pod, Mount { dx = 30, dy = 0 } },
    { pod, Mount { dx = 0, dy = 34 } },
  },
})

-- Those who defend themselves -------------------------------------------------

local turret = ecs.prefab("Turret", { Position, Mount, Weapon })
local cannon = ecs.prefab("Cannon", {
  turret, Weapon { cooldown = 0.8, damage = 20, pierce = 8, range = 420 },
})

prefabs.carrier = ecs.prefab("Carrier", {
  Position, Velocity, components.Carrier,
  Health { hp = 4000, max = 4000, regen = 40 },
  components.Shield { left = 400, max = 400, recharge = 25 },
  Collider { radius = 18, layer = layers.carrier, mask = layers.swarm + layers.loot },
  children = {
    { turret, Mount { dx = 14, dy = 14 } },
    { turret, Mount { dx = -14, dy = 14 } },
    { turret, Mount { dx = 14, dy = -14 } },
    { cannon, Mount { dx = -14, dy = -14 } },
  },
})

prefabs.tower = ecs.prefab("Tower", {
  Position, components.Tower,
  Weapon { cooldown = 0.3, damage = 7, pierce = 2, range = 300 },
  Health { hp = 300, max = 300, regen = 6 },
  Collider { radius = 12, layer = layers.tower, mask = layers.swarm },
})

-- Short lives -----------------------------------------------------------------

prefabs.bullet = ecs.prefab("Bullet", {
  Position, Velocity, components.Bullet,
  components.Lifetime { left = 1 },
  components.Edge { rule = "despawn" },
  Collider { radius = 3, layer = layers.bullet, mask = layers.swarm },
})

prefabs.loot = ecs.prefab("Loot", {
  Position, Velocity, components.Loot,
  components.Lifetime { left = 15 },
  Collider { radius = 5, layer = layers.loot },
})

prefabs.hazard = ecs.prefab("Hazard", { Position, Velocity, components.Hazard })

return prefabs
