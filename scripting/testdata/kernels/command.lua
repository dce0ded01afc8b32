-- A change that is made when the system has returned.
local ecs = require "ecs"

local Fuse = ecs.component("Fuse", { left = ecs.f64(1) })

ecs.system "command" {
  query = { Fuse },
  each = function(e, fuse, ctx)
    fuse.left = fuse.left - ctx.dt
    if fuse.left <= 0 then
      ecs.despawn(e)
    end
  end,
}
