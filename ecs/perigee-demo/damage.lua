-- damage.lua: what damage does, to shields first and then to health.

local ecs = require "ecs"
local components = require "components"
local events = require "events"

local Health, Shield = components.Health, components.Shield
local Position, Swarmer = components.Position, components.Swarmer

local tuning = {
  heal_seconds = 0.25, -- between two rounds of healing
}

-- Takes from the shield what it can bear; returns the rest.
local function through_shield(e, amount)
  local left = ecs.get(e, Shield, "left")
  if not left then
    return amount
  end
  local borne = math.min(left, amount)
  ecs.set(e, Shield { left = left - borne })
  return amount - borne
end

local function die(e)
  local swarmer, at = ecs.get(e, Swarmer), ecs.get(e, Position)
  if swarmer then
    ecs.emit(events.Killed { kind = swarmer.kind, worth = swarmer.worth, x = at.x, y = at.y })
  end
  ecs.despawn(e)
end

ecs.system "damage.apply" {
  priority = 22, after = { "contacts.sort", "burning.tick?" },
  on = events.Damage,
  each = function(damage)
    local e = damage.target
    local hp = ecs.get(e, Health, "hp") -- what earlier damage has left; nil for the dead
    if not hp then
      return
    end
    hp = hp - through_shield(e, damage.amount)
    if hp > 0 then
      ecs.set(e, Health { hp = hp })
    else
      die(e)
    end
  end,
}

-- Functions for one entity at a time, like these two, are compiled where possible;
-- `perigee explain damage.lua` shows what becomes of them.
ecs.system "health.regen" {
  priority = 90, every = tuning.heal_seconds, query = { Health },
  each = function(_, health, ctx)
    health.hp = math.min(health.max, health.hp + health.regen * ctx.dt)
  end,
}

ecs.system "shields.recharge" {
  priority = 91, every = tuning.heal_seconds, query = { Shield },
  each = function(_, shield, ctx)
    shield.left = math.min(shield.max, shield.left + shield.recharge * ctx.dt)
  end,
}
