-- hazards.lua: pools of fire and frost that drift through the arena.
--
-- Fire sets swarmers alight, frost slows them down. A batch looks at everyone
-- once in a while; only those that burn cost something all the time.

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
    { kind = "fire", radius = 130 },
    { kind = "frost", radius = 180 },
    { kind = "fire", radius = 100 },
    { kind = "frost", radius = 140 },
  },
  ring = 0.28,         -- how far from the middle, as a part of the arena
  drift_speed = 25,    -- units per second
  drift_seconds = 9,   -- between two changes of direction
  look_seconds = 0.15, -- between two looks, one pool in each
  burn = { dps = 4, left = 2.5 },
  burn_seconds = 0.5,  -- between two rounds of burns
  chill = 0.4,         -- speed that is left to who touches frost
}

-- The pool whose turn it is, as a copy that the loops below can read fast.
local pool = { x = 0, y = 0, radius = 0, fire = false }
local turn = 0

ecs.on_start(function()
  for i, new in ipairs(tuning.pools) do
    local x, y = arena.on_ring(tuning.ring, 2 * math.pi * i / #tuning.pools)
    ecs.spawn(prefabs.hazard,
      Position { x = x, y = y },
      Hazard { kind = new.kind, radius = new.radius })
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

-- Calls act(i) for each row of the batch that is in the pool.
local function for_each_inside(b, act)
  local x, y = b:read(Position, "x"), b:read(Position, "y")
  local pool_x, pool_y, radius = pool.x, pool.y, pool.radius
  local left, right, square = pool_x - radius, pool_x + radius, radius * radius
  for i = 1, b.n do
    local at = x[i]
    if at > left and at < right then -- most are out already
      local dx, dy = at - pool_x, y[i] - pool_y
      if dx * dx + dy * dy < square then
        act(i)
      end
    end
  end
end

local function burn(b)
  local entities = b.entities
  for_each_inside(b, function(i)
    if not ecs.has(entities[i], Burning) then
      ecs.add(entities[i], Burning { dps = tuning.burn.dps, left = tuning.burn.left })
    end
  end)
end

local function chill(b)
  local vx, vy = b:write(Velocity, "x"), b:write(Velocity, "y")
  for_each_inside(b, function(i)
    vx[i], vy[i] = vx[i] * tuning.chill, vy[i] * tuning.chill
  end)
end

ecs.system "hazards.touch" {
  priority = 51, after = { "hazards.turn" }, every = tuning.look_seconds,
  query = { Position, Velocity, with = { components.Swarmer } },
  batch = function(b)
    if pool.fire then
      burn(b)
    else
      chill(b)
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
