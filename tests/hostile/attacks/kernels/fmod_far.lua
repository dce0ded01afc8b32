local ecs = require "ecs"
local A = ecs.component("A", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(100, A) end)
ecs.system "attack" {
  query = { A },
  kernel = "require",
  each = function(e, a)
    for i = 1, 1e7 do a.x = a.x + math.fmod(1e308, 3e-308) + 1e308 % 3e-308 end
  end,
}
