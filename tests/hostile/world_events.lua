-- World: limit Commands. Events without end.
local ecs = require "ecs"
local Noise = ecs.event("Noise", { n = ecs.f64() })

ecs.system "hostile" {
  run = function()
    local noise = Noise { n = 1 } while true do ecs.emit(noise) end ---! "(Limits.Commands)"
  end,
}
