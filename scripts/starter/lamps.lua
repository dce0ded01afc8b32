-- lamps.lua: a firefly that touches a lamp shines like new.

local ecs = require "ecs"
local parts = require "parts"

local Position, Glow, Lamp = parts.Position, parts.Glow, parts.Lamp

local tuning = {
  lamps = 5,
  full = 100, -- the light after a touch
}

local arena = ecs.resource("Arena") -- the size of the world

ecs.on_start(function()
  for i = 1, tuning.lamps do
    local x = arena.width * i / (tuning.lamps + 1)
    ecs.spawn(parts.lamp, Position { x = x, y = arena.height / 2 })
  end
end)

-- A system with `on` is called for each event of that kind: here, for each pair
-- of colliders that touch. `a` is the one that looks for `b`.
ecs.system "lamps.light" {
  on = parts.Collision,
  each = function(touch)
    if ecs.has(touch.a, Lamp) and ecs.has(touch.b, Glow) then
      ecs.set(touch.b, Glow { light = tuning.full }) -- only this field changes
    end
  end,
}

-- An observer is told when a component comes or goes, whoever did it.
ecs.on_remove("lamps.broken", Lamp, function(e)
  ecs.warn("a lamp is gone:", e)
end)
