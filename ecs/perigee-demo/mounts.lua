-- mounts.lua: turrets and pods are children that ride on their parent.
--
-- They have no velocity of their own; they are put where the parent is, after
-- the physics, so that nothing lags a tick behind.

local ecs = require "ecs"
local components = require "components"

local Position = components.Position

ecs.system "mounts.follow" {
  phase = "animation", query = { components.Mount, Position },
  each = function(e, mount, position)
    local carrier = ecs.get(ecs.parent(e), Position)
    position.x, position.y = carrier.x + mount.dx, carrier.y + mount.dy
  end,
}
