-- parts.lua: what things are made of. The other two files say what they do.
--
-- A game is made of entities, and an entity is nothing but the components that
-- it has. Some come from the host, the others are declared here.

local ecs = require "ecs" -- everything that a script can do is in this table

local parts = {}

-- From the host, which moves whatever has a Velocity and tells who touches whom.
parts.Position = ecs.native("Position")
parts.Velocity = ecs.native("Velocity")
parts.Collider = ecs.native("Collider")
parts.Collision = ecs.native_event("Collision")
parts.Shape = ecs.native("Shape") -- how things look: perigee run --view shows them

-- Our own. The numbers are what a new one starts with.
parts.Glow = ecs.component("Glow", { light = ecs.f32(100), fades = ecs.f32(8) })
parts.Lamp = ecs.tag("Lamp") -- a tag has no data: it is there or not
parts.Carried = ecs.tag("Carried")

-- A prefab is a list of components to spawn together. Of a Collider, `layer`
-- says what it is, and `mask` which layers it looks for.
parts.firefly = ecs.prefab("Firefly", {
  parts.Position, parts.Velocity, parts.Glow,
  parts.Collider { radius = 3, layer = 1 },
  parts.Shape { form = "dot", size = 16, color = 0xffe27a, glow = 0.5 },
})

parts.lamp = ecs.prefab("LampPost", {
  parts.Position, parts.Lamp,
  parts.Collider { radius = 40, layer = 2, mask = 1 },
  parts.Shape { form = "ring", size = 80, color = 0x4c6a9c, glow = 0.2 },
})

-- A prefab may begin with another one. This one is carried by the one who plays.
parts.lantern = ecs.prefab("Lantern", {
  parts.lamp, parts.Carried, parts.Velocity,
  parts.Shape { form = "ring", size = 80, color = 0xff9d4d, glow = 0.6 },
})

return parts
