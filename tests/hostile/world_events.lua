-- World: limit Commands. Events without end.
local ecs = require "ecs"
local Noise = ecs.event("Noise", { n = ecs.f64() })

ecs.system "hostile" {
  run = function()
    while true do ecs.emit(Noise { n = 1 }) end ---! "(Limits.Commands)"
  end,
}
