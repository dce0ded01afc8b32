-- towers.lua: rings of towers that hold the middle, and come back when they fall.

local ecs = require "ecs"
local arena = require "arena"
local components = require "components"
local prefabs = require "prefabs"

local Position, Tower = components.Position, components.Tower

local tuning = {
  rings = { -- from the middle outwards; `radius` is a part of the arena
    { towers = 8, radius = 0.10 },
    { towers = 16, radius = 0.25 },
    { towers = 24, radius = 0.38 },
  },
  rebuild_seconds = 8,
}

local function build(x, y)
  ecs.spawn(prefabs.tower, Position { x = x, y = y }, Tower { home_x = x, home_y = y })
end

ecs.on_start(function()
  for _, ring in ipairs(tuning.rings) do
    for i = 1, ring.towers do
      build(arena.on_ring(ring.radius, 2 * math.pi * i / ring.towers))
    end
  end
end)

ecs.handler("towers.rebuild", function(data)
  build(data.x, data.y)
end)

ecs.on_remove("towers.fallen", Tower, function(_, old)
  ecs.after(tuning.rebuild_seconds, "towers.rebuild", { x = old.home_x, y = old.home_y })
end)
