-- A fuse burns down, and with it goes the entity.

local ecs = require "ecs"

local Fuse = ecs.native("Fuse")

ecs.system "cooldown" {
  query = { Fuse },
  each = function(e, fuse, ctx)
    fuse.left = fuse.left - ctx.dt
    if fuse.left <= 0 then
      ecs.despawn(e)
    end
  end,
}
