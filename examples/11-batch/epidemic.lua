-- epidemic.lua: a day in the life of each person.

local ecs = require "ecs"

local Person = ecs.native("Person")
local city = ecs.resource("City")

local states = { well = 0, ill = 1, immune = 2 }
local tuning = {
  contacts = 0.3, -- people to whom one ill person passes it on each day, if all are well
  days = 7,       -- the shortest illness
  more = 7,       -- and how many days longer it may be
}

-- Each person has random numbers of their own, by the rule of Lehmer. ecs.random would do, but
-- there is one row of these for all, so people would have to take their turns.
local prime = 2147483647

ecs.system "epidemic.day" {
  query = { Person }, kernel = "require",
  each = function(_, person, ctx)
    local luck = person.luck * 16807
    luck = luck - math.floor(luck / prime) * prime
    person.luck = luck
    if person.state == states.well then
      if luck < city.ill_part * tuning.contacts * ctx.dt * prime then
        person.state = states.ill
        person.days = tuning.days + (luck % 1000) / 1000 * tuning.more
      end
    elseif person.state == states.ill then
      person.days = person.days - ctx.dt
      if person.days <= 0 then
        person.state = states.immune
      end
    end
  end,
}
