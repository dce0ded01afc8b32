-- contacts.lua: what it means that two things touch.
--
-- The host only says "a looks for b, and they touch". Here that becomes a hit, a
-- sting or a find. It is the one place that knows every pair, and the only
-- reader of the host's Collision events.

local ecs = require "ecs"
local components = require "components"
local events = require "events"
local layers = require "lib.layers"

local Bullet, Collider = components.Bullet, components.Collider
local Loot, Swarmer = components.Loot, components.Swarmer

-- A bullet hits a swarmer, and is used up unless it pierces.
local function hit(bullet, swarmer)
  local shot = ecs.get(bullet, Bullet)
  if not shot then
    return
  end
  ecs.emit(events.Damage { target = swarmer, amount = shot.damage, source = shot.shooter })
  if shot.pierce > 0 then
    ecs.set(bullet, Bullet { pierce = shot.pierce - 1 })
  else
    ecs.despawn(bullet)
  end
end

-- A swarmer dives into a tower or a carrier, stings and is used up. Queens have
-- no sting and go on.
local function sting(victim, swarmer)
  local amount = ecs.get(swarmer, Swarmer, "sting")
  if amount and amount > 0 then
    ecs.emit(events.Damage { target = victim, amount = amount, source = swarmer })
    ecs.despawn(swarmer)
  end
end

-- A carrier flies over loot.
local function find(carrier, loot)
  local value = ecs.get(loot, Loot, "value")
  if value then
    ecs.emit(events.Picked { carrier = carrier, value = value })
    ecs.despawn(loot)
  end
end

-- What to do: meetings[layer of who looks][layer of who is found].
local meetings = {
  [layers.bullet] = { [layers.swarm] = hit },
  [layers.tower] = { [layers.swarm] = sting },
  [layers.carrier] = { [layers.swarm] = sting, [layers.loot] = find },
}

ecs.system "contacts.sort" {
  priority = 20, on = events.Collision,
  each = function(touch)
    local a, b = touch.a, touch.b
    local row = meetings[ecs.get(a, Collider, "layer")]
    local meeting = row and row[ecs.get(b, Collider, "layer")]
    if meeting then
      meeting(a, b)
    end
  end,
}
