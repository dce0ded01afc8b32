-- fleet.lua: the carriers, their course around the arena, and how they grow.

local ecs = require "ecs"
local arena = require "arena"
local components = require "components"
local events = require "events"
local prefabs = require "prefabs"

local Position, Velocity = components.Position, components.Velocity
local Carrier, Weapon = components.Carrier, components.Weapon

local tuning = {
  carriers = 6,
  inner_orbit = 0.18,   -- the carriers share the space between these two rings,
  outer_orbit = 0.40,   -- as a part of the arena
  angular_speed = 0.09, -- radians per second
  haste = 1.2,          -- how hard a carrier steers to its place on the orbit
  first_level = 150,    -- experience for level 2; each further one costs
  level_cost = 1.7,     -- so much more than the one before
  top_level = 12,
  level_damage = 1.12,  -- what a level does to each turret
  level_cooldown = 0.96,
  rebuild_seconds = 10,
}

local state = ecs.state("fleet", { best_level = 1 })

-- The experience that a carrier needs to leave a level.
local function cost(level)
  return math.floor(tuning.first_level * tuning.level_cost ^ (level - 1))
end

local function launch(angle, orbit)
  local x, y = arena.on_ring(orbit, angle)
  ecs.spawn(prefabs.carrier, Position { x = x, y = y }, Carrier { angle = angle, orbit = orbit })
end

ecs.on_start(function()
  local inner, outer = tuning.inner_orbit, tuning.outer_orbit
  for i = 1, tuning.carriers do
    local share = (i - 1) / tuning.carriers
    launch(2 * math.pi * share, inner + (outer - inner) * share)
  end
end)

ecs.handler("fleet.launch", function(data)
  launch(data.angle, data.orbit)
end)

-- A lost carrier is replaced after a while, at level 1.
ecs.on_remove("fleet.lost", Carrier, function(_, old)
  ecs.log(string.format("a carrier of level %d is lost", old.level))
  ecs.after(tuning.rebuild_seconds, "fleet.launch", { angle = old.angle, orbit = old.orbit })
end)

ecs.system "fleet.patrol" {
  priority = 80, query = { Carrier, Position, Velocity },
  each = function(_, carrier, position, velocity, ctx)
    carrier.angle = (carrier.angle + tuning.angular_speed * ctx.dt) % (2 * math.pi)
    local x, y = arena.on_ring(carrier.orbit, carrier.angle)
    velocity.x = (x - position.x) * tuning.haste
    velocity.y = (y - position.y) * tuning.haste
  end,
}

-- Every turret of the carrier shoots harder and faster.
local function strengthen(e)
  for _, turret in ipairs(ecs.children(e)) do
    local weapon = ecs.get(turret, Weapon)
    if weapon then
      ecs.set(turret, Weapon {
        damage = weapon.damage * tuning.level_damage,
        cooldown = weapon.cooldown * tuning.level_cooldown,
      })
    end
  end
end

local function celebrate(level)
  if level > state.best_level then
    state.best_level = level
    ecs.log(string.format("the first carrier of level %d", level))
  end
end

local function gain(e, amount)
  local carrier = ecs.get(e, Carrier)
  if not carrier then
    return
  end
  local xp, level = carrier.xp + amount, carrier.level
  if level < tuning.top_level and xp >= cost(level) then
    xp, level = xp - cost(level), level + 1
    strengthen(e)
    celebrate(level)
  end
  ecs.set(e, Carrier { xp = xp, level = level })
end

ecs.system "fleet.learn" {
  priority = 35, after = { "contacts.sort" },
  on = events.Picked,
  each = function(found)
    gain(found.carrier, found.value)
  end,
}
