-- Acid eats armor. When nothing is left of it, all who listen are told.

local ecs = require "ecs"

local Armor, Acid = ecs.native("Armor"), ecs.native("Acid")
local Died = ecs.native_event("Died")

ecs.system "damage" {
  query = { Armor, Acid },
  each = function(e, armor, acid, ctx)
    armor.left = armor.left - acid.rate * ctx.dt
    if armor.left <= 0 then
      ecs.emit(Died { victim = e, excess = -armor.left })
      armor.left = armor.most
    end
  end,
}
