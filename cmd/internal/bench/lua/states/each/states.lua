-- A guard rests, watches, gives chase and flees.

local ecs = require "ecs"

local Guard = ecs.native("Guard")

ecs.system "states" {
  query = { Guard },
  each = function(e, g, ctx)
    if g.mode == "rest" then
      g.stamina = g.stamina + 10 * ctx.dt
      if g.stamina >= 100 then
        g.mode, g.timer = "watch", 2
      end
    elseif g.mode == "watch" then
      g.timer = g.timer - g.nerve * ctx.dt
      if g.timer <= 0 then
        g.mode = "chase"
      end
    elseif g.mode == "chase" then
      g.stamina = g.stamina - 25 * ctx.dt
      if g.stamina <= 20 then
        g.mode, g.timer = "flee", 1.5
      end
    else
      g.stamina = g.stamina - 5 * ctx.dt
      g.timer = g.timer - ctx.dt
      if g.timer <= 0 then
        g.mode = "rest"
      end
    end
  end,
}
