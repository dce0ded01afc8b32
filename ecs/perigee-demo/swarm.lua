-- swarm.lua: how ten thousand swarmers fly.
--
-- A chunk of memory holds some hundred swarmers, and a chunk is a flock: all in
-- it hunt the same prey. swarm.steer changes whole columns of it at once, and
-- swarm.wander is compiled: both cost a few nanoseconds for each swarmer and not
-- the few hundred of a Lua loop.

local ecs = require "ecs"
local components = require "components"
local turns = require "lib.turns"

local Position, Velocity = components.Position, components.Velocity
local Swarmer, Wander = components.Swarmer, components.Wander

local tuning = {
  pull = 0.30,      -- towards the prey: acceleration per unit of distance
  swirl = 0.55,     -- sideways, so that a flock circles its prey
  drag = 0.55,      -- part of the speed lost per second
  top_speed = 170,  -- units per second, on each axis
  wander = 220,     -- strength of the random push, the same for all kinds
  share = 8,        -- each run of swarm.wander gives about an eighth of them a new push
}

-- Where the prey is, from the last look around.
local prey = {}

ecs.system "swarm.scout" {
  priority = 40, every = 0.5,
  run = function()
    prey = {}
    for e in ecs.entities { components.Health, without = { Swarmer } } do
      local position = ecs.get(e, Position)
      prey[#prey + 1] = { x = position.x, y = position.y }
    end
  end,
}

-- The random numbers are the same on every machine, compiled or not.
ecs.system "swarm.wander" {
  priority = 41, every = 0.1, query = { Wander },
  each = function(_, wander)
    if ecs.random() * tuning.share < 1 then
      wander.x = (ecs.random() - 0.5) * tuning.wander
      wander.y = (ecs.random() - 0.5) * tuning.wander
    end
  end,
}

local next_flock, flights = turns.counter()

ecs.system "swarm.steer" {
  priority = 42, after = { "swarm.scout" }, every = 0.05,
  query = { Position, Velocity, Wander, with = { Swarmer } },
  batch = function(b, ctx)
    if #prey == 0 then
      return
    end
    local target, dt = prey[next_flock(ctx.tick) % #prey + 1], ctx.dt
    local pull, swirl, top = tuning.pull * dt, tuning.swirl * dt, tuning.top_speed
    local x, y = b:col(Position, "x"), b:col(Position, "y")
    local vx, vy = b:col(Velocity, "x"), b:col(Velocity, "y")

    -- v = v * (1 - drag) + (target - p) * pull, turned by the swirl, + wander
    vx:mul(1 - tuning.drag * dt)
    vy:mul(1 - tuning.drag * dt)
    vx:add(target.x * pull - target.y * swirl)
    vy:add(target.y * pull + target.x * swirl)
    vx:madd(x, -pull)
    vx:madd(y, swirl)
    vy:madd(y, -pull)
    vy:madd(x, -swirl)
    vx:madd(b:col(Wander, "x"), dt)
    vy:madd(b:col(Wander, "y"), dt)
    vx:clamp(-top, top)
    vy:clamp(-top, top)
  end,
}

-- A saved game goes on with the prey that was in sight.
ecs.on_save(function()
  return { prey = prey, flights = flights() }
end)

ecs.on_load(function(saved)
  prey = saved.prey
  flights(saved.flights)
end)
