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
local Shape, Bar, Trail = components.Shape, components.Bar, components.Trail

local prefabs = {}

-- The swarm -----------------------------------------------------------------

prefabs.drone = ecs.prefab("Drone", {
  Position, Velocity, components.Wander,
  Swarmer { kind = "drone", sting = 2, worth = 1 },
  Health { hp = 10, max = 10 },
  Collider { radius = 4, layer = layers.swarm },
  Shape { form = "triangle", turns = true, size = 11, color = 0x8f7bff, layer = 2 },
})

prefabs.wasp = ecs.prefab("Wasp", {
  prefabs.drone,
  Swarmer { kind = "wasp", sting = 6, worth = 2 },
  Health { hp = 5, max = 5 },
  Shape { form = "arrow", turns = true, size = 12, color = 0xff5fa8, layer = 2 },
})

prefabs.brute = ecs.prefab("Brute", {
  prefabs.drone,
  Swarmer { kind = "brute", sting = 12, worth = 5 },
  Health { hp = 40, max = 40, regen = 2 },
  Shape { form = "diamond", turns = true, size = 17, color = 0xff7a4d, layer = 2 },
})

-- A queen carries her brood in pods around her body.
local pod = ecs.prefab("Pod", {
  Position, Mount, components.Brood { litter = 4 },
  Shape { form = "circle", size = 26, color = 0xc23b78, glow = 0.4, layer = 4 },
})

prefabs.queen = ecs.prefab("Queen", {
  Position, Velocity, components.Queen,
  Swarmer { kind = "queen", sting = 0, worth = 500 },
  Health { hp = 1200, max = 1200, regen = 2 },
  components.Shield { left = 300, max = 300, recharge = 5 },
  Collider { radius = 32, layer = layers.swarm },
  Shape { form = "star", size = 76, color = 0xff3d81, glow = 0.7, layer = 5 },
  Trail { seconds = 2.5, width = 40, color = 0xff3d81, alpha = 0.3 },
  Bar { width = 80, height = 6, dy = 52, color = 0xff3d81 },
  children = {
    { pod, Mount { dx = -30, dy = 0 } },
    { pod, Mount { dx = 30, dy = 0 } },
    { pod, Mount { dx = 0, dy = 34 } },
  },
})

-- Those who defend themselves -------------------------------------------------

local turret = ecs.prefab("Turret", {
  Position, Mount, Weapon,
  Shape { form = "circle", size = 11, color = 0xcdf6ff, layer = 7 },
})
local cannon = ecs.prefab("Cannon", {
  turret, Weapon { cooldown = 0.8, damage = 20, pierce = 8, range = 420 },
  Shape { form = "circle", size = 14, color = 0xffffff, layer = 7 },
})

prefabs.carrier = ecs.prefab("Carrier", {
  Position, Velocity, components.Carrier,
  Health { hp = 4000, max = 4000, regen = 40 },
  components.Shield { left = 400, max = 400, recharge = 25 },
  Collider { radius = 18, layer = layers.carrier, mask = layers.swarm + layers.loot },
  Shape { form = "diamond", turns = true, size = 58, color = 0x2fb8e6, glow = 0.5, layer = 6 },
  Trail { seconds = 2, width = 22, color = 0x2fb8e6, alpha = 0.35 },
  Bar { width = 60, height = 5, dy = 42, color = 0x5fe0ff },
  children = {
    { turret, Mount { dx = 14, dy = 14 } },
    { turret, Mount { dx = -14, dy = 14 } },
    { turret, Mount { dx = 14, dy = -14 } },
    { cannon, Mount { dx = -14, dy = -14 } },
  },
})

-- The ship of the one who plays, see pilot.lua.
prefabs.pilot = ecs.prefab("Pilot", {
  Position, Velocity, components.Pilot,
  components.Edge { rule = "stop" },
  Health { hp = 1000, max = 1000, regen = 30 },
  Collider { radius = 12, layer = layers.carrier, mask = layers.swarm + layers.loot },
  Shape { form = "arrow", size = 40, color = 0xffffff, glow = 0.8, layer = 9 },
  Trail { seconds = 0.9, width = 16, color = 0x8fd0ff, alpha = 0.6 },
  Bar { width = 46, height = 5, dy = 34, color = 0xffffff },
})

prefabs.tower = ecs.prefab("Tower", {
  Position, components.Tower,
  Weapon { cooldown = 0.3, damage = 7, pierce = 2, range = 300 },
  Health { hp = 300, max = 300, regen = 6 },
  Collider { radius = 12, layer = layers.tower, mask = layers.swarm },
  Shape { form = "square", size = 30, color = 0x43c98a, glow = 0.35, layer = 6 },
  Bar { width = 34, height = 4, dy = 26, color = 0x66ffb0 },
})

-- Short lives -----------------------------------------------------------------

prefabs.bullet = ecs.prefab("Bullet", {
  Position, Velocity, components.Bullet,
  components.Lifetime { left = 1 },
  components.Edge { rule = "despawn" },
  Collider { radius = 3, layer = layers.bullet, mask = layers.swarm },
  Shape { form = "circle", size = 6, color = 0xfff2a8, glow = 0.8, layer = 8 },
})

prefabs.loot = ecs.prefab("Loot", {
  Position, Velocity, components.Loot,
  components.Lifetime { left = 15 },
  Collider { radius = 5, layer = layers.loot },
  Shape { form = "diamond", size = 10, color = 0xffc44d, glow = 0.6, layer = 3 },
})

prefabs.hazard = ecs.prefab("Hazard", { Position, Velocity, components.Hazard, Shape })

return prefabs
