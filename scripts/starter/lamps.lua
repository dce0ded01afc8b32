-- lamps.lua: a firefly that touches a lamp shines like new.
--
-- One lamp is a lantern in your hand: on the page of perigee run --view, W, A, S and D
-- or the arrows carry it.

local ecs = require "ecs"
local parts = require "parts"

local Position, Glow, Lamp = parts.Position, parts.Glow, parts.Lamp

local tuning = {
  lamps = 5,
  full = 100, -- the light after a touch
  pace = 260, -- units per second, of who carries the lantern
}

local arena = ecs.resource("Arena") -- the size of the world
local input = ecs.resource("Input") -- what the one who plays does

ecs.on_start(function()
  for i = 1, tuning.lamps do
    local x = arena.width * i / (tuning.lamps + 1)
    ecs.spawn(parts.lamp, Position { x = x, y = arena.height / 2 })
  end
  ecs.spawn(parts.lantern, Position { x = arena.width / 2, y = arena.height / 4 })
end)

ecs.system "lamps.carry" {
  phase = "input", priority = 10, query = { parts.Velocity, with = { parts.Carried } },
  each = function(_, velocity)
    velocity.x, velocity.y = input.x * tuning.pace, input.y * tuning.pace
  end,
}

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
