-- tanks.lua: a tank with a turret, a heavier one made from it, and a platoon.

local ecs = require "ecs"

local Name = ecs.native("Name")
local Armour = ecs.component("Armour", { mm = ecs.u16(50) })

local Barrel = ecs.prefab("Barrel", { Name { text = "barrel" } })

local Turret = ecs.prefab("Turret", {
  Name { text = "turret" }, Armour { mm = 30 },
  children = { Barrel },
})

local Tank = ecs.prefab("Tank", {
  Name { text = "tank" }, Armour,
  children = {
    Turret,
    { Name { text = "driver" } }, -- a child without a prefab of its own
  },
})

-- What comes later in the list wins; children come from both.
local Heavy = ecs.prefab("Heavy", {
  Tank, Name { text = "heavy tank" }, Armour { mm = 200 },
  children = {
    { Turret, Name { text = "second turret" } },
  },
})

ecs.on_start(function()
  ecs.spawn(Tank)
  ecs.spawn(Heavy)
  local platoon = ecs.spawn_many(2, Barrel, function(i)
    return Name { text = "spare barrel " .. i }
  end)
  ecs.set_parent(platoon[2], platoon[1])
end)
