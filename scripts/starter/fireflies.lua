-- fireflies.lua: fireflies come, glow, fade and go.
--
-- Save this file while the game runs and watch: no restart, and the fireflies
-- that are there stay where they are. Try fades_at_random = 40.

local ecs = require "ecs"
local parts = require "parts"

local Position, Velocity, Glow = parts.Position, parts.Velocity, parts.Glow
local Shape = parts.Shape

local tuning = {
  at_once = 200,        -- how many fireflies there should be
  speed = 120,          -- units per second, at most, on each axis
  fades_at_random = 15, -- light lost per second, at most
  report_seconds = 5,
}

-- A table that outlives reloads. The values are what it starts with.
local state = ecs.state("fireflies", { born = 0, gone = 0 })

-- Something that the host provides: the size of the world.
local arena = ecs.resource("Arena")

local function between(low, high)
  return low + (high - low) * ecs.random()
end

-- The top level of a file only declares. What is to happen once, at the very
-- beginning, goes here.
ecs.on_start(function()
  ecs.every(tuning.report_seconds, "fireflies.report")
end)

-- Timers call handlers by name, so that they find the newest version of them.
ecs.handler("fireflies.report", function()
  ecs.log("fireflies:", ecs.count { Glow }, "born:", state.born, "gone:", state.gone)
end)

-- A system with `run` is called every tick, or here every half second.
ecs.system "fireflies.arrive" {
  every = 0.5,
  run = function()
    for _ = ecs.count { Glow } + 1, tuning.at_once do
      ecs.spawn(parts.firefly,
        Position { x = between(0, arena.width), y = between(0, arena.height) },
        Velocity { x = between(-1, 1) * tuning.speed, y = between(-1, 1) * tuning.speed },
        Glow { fades = between(3, tuning.fades_at_random) })
      state.born = state.born + 1
    end
  end,
}

-- A system with `each` is called for each entity that has the components of its
-- query. What the function writes into them is kept.
ecs.system "fireflies.fade" {
  query = { Glow, Shape },
  each = function(e, glow, shape, ctx)
    glow.light = glow.light - glow.fades * ctx.dt
    shape.alpha = 0.2 + 0.8 * glow.light / 100
    if glow.light <= 0 then
      ecs.despawn(e)
      state.gone = state.gone + 1
    end
  end,
}
