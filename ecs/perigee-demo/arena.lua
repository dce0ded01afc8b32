-- arena.lua: how large the world is, and where places in it are.
--
-- Other files name places in parts of the arena, so that one number here makes
-- the whole game wider or tighter.

local ecs = require "ecs"
local geometry = require "lib.geometry"

local tuning = {
  size = 2400,     -- units, both ways
  edge = "bounce", -- or none, wrap, stop, despawn; a component Edge overrides it
}

-- The host's: its systems move and collide things in it.
local bounds = ecs.resource("Arena")

local arena = {}

ecs.on_start(function()
  bounds.width, bounds.height, bounds.edge = tuning.size, tuning.size, tuning.edge
end)

--- How wide the arena is, in units.
function arena.width()
  return bounds.width
end

--- The point at parts of the way from the left and from the bottom.
function arena.at(part_x, part_y)
  return part_x * bounds.width, part_y * bounds.height
end

--- The point on a ring around the middle; its radius is a part of the arena.
function arena.on_ring(radius, angle)
  return arena.at(geometry.on_circle(0.5, 0.5, radius, angle))
end

return arena
