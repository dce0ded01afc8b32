local ecs = require "ecs"
local host = require "host"
local P = ecs.native("Position")

local function never()
  if ecs.alive(1) then ecs.spwan(P) end
  host.fal()
  prnit("x")
end

ecs.system "drift" {
  query = { P },
  each = function(e, p, ctx)
    p.z = p.x + ctx.delta
    if p.x > 100 then ecs.dispawn(e) end
  end,
}
