local ecs, host = require "ecs", require "host"

local Boat = ecs.native("Boat")

local tuning = { drag = 0.4 } -- part of the speed that is lost in a second

ecs.system "weather" {
  run = function()
    local wind = host.weather()
    for entity in ecs.entities { Boat } do
      local boat = ecs.get(entity, Boat)
      ecs.set(entity, Boat { at = boat.at, speed = boat.speed + wind / 60 })
    end
  end,
}

ecs.system "glide" {
  phase = "physics",
  query = { Boat },
  each = function(_, boat, ctx)
    boat.speed = boat.speed * (1 - tuning.drag * ctx.dt)
    boat.at = boat.at + boat.speed * ctx.dt
  end,
}
