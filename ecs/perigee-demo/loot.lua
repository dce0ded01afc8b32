-- loot.lua: some of the dead leave something behind, and carriers gather it.

local ecs = require "ecs"
local components = require "components"
local events = require "events"
local prefabs = require "prefabs"
local geometry = require "lib.geometry"

local Position, Velocity, Loot = components.Position, components.Velocity, components.Loot

local tuning = {
  chance = 0.35,         -- that a swarmer leaves loot
  bonus = 1.5,           -- loot is worth so much more than its owner was
  reach = 240,           -- distance at which a carrier's magnet takes hold
  magnet_speed = 260,    -- units per second
  magnet_seconds = 0.15,
}

-- Where the carriers were at the last look.
local carriers = {}

ecs.system "loot.drop" {
  priority = 30, after = { "damage.apply" }, on = events.Killed,
  each = function(killed)
    if ecs.random() < tuning.chance then
      ecs.spawn(prefabs.loot,
        Position { x = killed.x, y = killed.y },
        Loot { value = killed.worth * tuning.bonus })
    end
  end,
}

ecs.system "loot.carriers" {
  priority = 31, every = tuning.magnet_seconds,
  run = function()
    carriers = {}
    for e in ecs.entities { components.Carrier } do
      carriers[#carriers + 1] = ecs.get(e, Position)
    end
  end,
}

-- Loot near a carrier flies to it, the rest lies still.
ecs.system "loot.magnet" {
  priority = 32, after = { "loot.carriers" }, every = tuning.magnet_seconds,
  query = { Position, Velocity, with = { Loot } },
  batch = function(b)
    local x, y = b:read(Position, "x"), b:read(Position, "y")
    local vx, vy = b:write(Velocity, "x"), b:write(Velocity, "y")
    local reach = tuning.reach * tuning.reach
    for i = 1, b.n do
      local carrier, square = geometry.nearest(carriers, x[i], y[i])
      if carrier and square < reach then
        vx[i], vy[i] = geometry.toward(x[i], y[i], carrier.x, carrier.y, tuning.magnet_speed)
      else
        vx[i], vy[i] = 0, 0
      end
    end
  end,
}

-- A saved game goes on with the carriers that were there.
ecs.on_save(function()
  return carriers
end)

ecs.on_load(function(saved)
  carriers = saved
end)
