local ecs = require "ecs"
local asked = false
local Es = {}
for i = 1, 20 do Es[i] = ecs.event("AttackE" .. i, { x = ecs.array(ecs.f64(), 4096) }) end
ecs.system("attack.reader", { run = function(ctx)
  if not asked then asked = true for i = 1, 20 do for e in ecs.events(Es[i]) do end end end
end })
for k = 1, 20 do
  ecs.system("attack" .. k, { run = function(ctx)
    for i = 1, 4000 do ecs.emit(Es[k]) end
  end })
end
