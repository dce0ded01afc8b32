-- hazards.lua: pools of fire and frost that drift through the arena.
--
-- Fire sets swarmers alight, frost slows them down. Everyone is looked at once in
-- a while; only those that burn cost something all the time.

local ecs = require "ecs"
local arena = require "arena"
local components = require "components"
local events = require "events"
local prefabs = require "prefabs"
local geometry = require "lib.geometry"

local Position, Velocity = components.Position, components.Velocity
local Hazard, Burning = components.Hazard, components.Burning

local tuning = {
  pools = { -- in this order around the middle
    { kind = "fire", radius = 130, color = 0xff6a2b },
    { kind = "frost", radius = 180, color = 0x4db4ff },
    { kind = "fire", radius = 100, color = 0xff6a2b },
    { kind = "frost", radius = 140, color = 0x4db4ff },
  },
  ring = 0.28,         -- how far from the middle, as a part of the arena
  drift_speed = 25,    -- units per second
  drift_seconds = 9,   -- between two changes of direction
  look_seconds = 0.15, -- between two looks, one pool in each
  burn = { dps = 4, left = 2.5 },
  burn_seconds = 0.5,  -- between two rounds of burns
  chill = 0.4,         -- speed that is left to who touches frost
}

-- The pool whose turn it is: a copy, so that nobody looks it up ten thousand times.
local pool = { x = 0, y = 0, radius = 0, fire = false }
local turn = 0

ecs.on_start(function()
  for i, new in ipairs(tuning.pools) do
    local x, y = arena.on_ring(tuning.ring, 2 * math.pi * i / #tuning.pools)
    ecs.spawn(prefabs.hazard,
      Position { x = x, y = y },
      Hazard { kind = new.kind, radius = new.radius },
      components.Shape { size = 2 * new.radius, color = new.color, alpha = 0.16, layer = 1 })
  end
  ecs.every(tuning.drift_seconds, "hazards.drift")
end)

ecs.handler("hazards.drift", function()
  for e in ecs.entities { Hazard } do
    local vx, vy = geometry.on_circle(0, 0, tuning.drift_speed, 2 * math.pi * ecs.random())
    ecs.set(e, Velocity { x = vx, y = vy })
  end
end)

-- One pool at a time: ten thousand looks now, instead of forty thousand at once.
ecs.system "hazards.turn" {
  priority = 50, every = tuning.look_seconds,
  run = function()
    local pools = {}
    for e in ecs.entities { Hazard } do
      pools[#pools + 1] = e
    end
    if #pools == 0 then
      return
    end
    turn = turn % #pools + 1
    local position, hazard = ecs.get(pools[turn], Position), ecs.get(pools[turn], Hazard)
    pool.x, pool.y = position.x, position.y
    pool.radius, pool.fire = hazard.radius, hazard.kind == "fire"
  end,
}

ecs.system "hazards.touch" {
  priority = 51, after = { "hazards.turn" }, every = tuning.look_seconds,
  query = { Position, Velocity, with = { components.Swarmer } },
  each = function(e, position, velocity)
    local dx, dy = position.x - pool.x, position.y - pool.y
    if dx * dx + dy * dy >= pool.radius * pool.radius then
      return
    end
    if not pool.fire then
      velocity.x, velocity.y = velocity.x * tuning.chill, velocity.y * tuning.chill
    elseif not ecs.has(e, Burning) then
      ecs.add(e, Burning { dps = tuning.burn.dps, left = tuning.burn.left })
    end
  end,
}

ecs.system "burning.tick" {
  priority = 21, every = tuning.burn_seconds, query = { Burning },
  each = function(e, burning, ctx)
    ecs.emit(events.Damage { target = e, amount = burning.dps * ctx.dt })
    burning.left = burning.left - ctx.dt
    if burning.left <= 0 then
      ecs.remove(e, Burning)
    end
  end,
}

-- A saved game goes on with the pool whose turn it was.
ecs.on_save(function()
  return { pool = pool, turn = turn }
end)

ecs.on_load(function(saved)
  pool.x, pool.y = saved.pool.x, saved.pool.y
  pool.radius, pool.fire = saved.pool.radius, saved.pool.fire
  turn = saved.turn
end)
