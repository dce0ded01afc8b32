-- queens.lua: the few big ones. They drift around the middle and hatch drones.

local ecs = require "ecs"
local arena = require "arena"
local components = require "components"
local prefabs = require "prefabs"
local geometry = require "lib.geometry"

local Position, Velocity = components.Position, components.Velocity
local Brood, Queen = components.Brood, components.Queen

local tuning = {
  speed = 45,        -- units per second
  course = 2,        -- seconds between two changes of course
  orbit = 0.30,      -- how far from the middle, as a part of the arena
  hatch = 1.5,       -- seconds between two litters
  hatch_speed = 90,
}

ecs.on_add("queens.arrive", Queen, function(e)
  local hp = ecs.get(e, components.Health, "hp")
  ecs.log(string.format("a queen enters the arena, %d points of health", hp))
end)

ecs.system "queens.course" {
  priority = 45, every = tuning.course, query = { Position, Velocity, with = { Queen } },
  each = function(_, position, velocity)
    local to_x, to_y = arena.on_ring(tuning.orbit, ecs.random() * 2 * math.pi)
    velocity.x, velocity.y = geometry.toward(position.x, position.y, to_x, to_y, tuning.speed)
  end,
}

ecs.system "queens.hatch" {
  priority = 46, every = tuning.hatch, query = { Brood, Position },
  each = function(_, brood, position)
    for i = 1, brood.litter do
      local vx, vy = geometry.on_circle(0, 0, tuning.hatch_speed, 2 * math.pi * i / brood.litter)
      ecs.spawn(prefabs.drone,
        Position { x = position.x, y = position.y },
        Velocity { x = vx, y = vy })
    end
  end,
}
