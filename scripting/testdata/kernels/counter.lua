-- Locals around the function that it assigns: a count, and a least value.
local ecs = require "ecs"

local Health = ecs.component("Health", { hp = ecs.f32(100) })
local wounded, lowest = 0, 100

ecs.system "counter" {
  query = { Health },
  each = function(e, health)
    if health.hp < 50 then
      wounded = wounded + 1
    end
    lowest = math.min(lowest, health.hp)
  end,
}
