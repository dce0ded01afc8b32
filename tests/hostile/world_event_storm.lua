-- World: limit Commands. Each event makes four, so there are four times as many in each tick.
local ecs = require "ecs"
local Noise = ecs.event("Noise", { n = ecs.f64() })

ecs.on_start(function()
  for _ = 1, 1000 do ecs.emit(Noise { n = 1 }) end
end)

ecs.system "hostile" {
  on = Noise,
  each = function(noise)
    for _ = 1, 4 do ecs.emit(Noise { n = noise.n + 1 }) end ---! "(Limits."
  end,
}
