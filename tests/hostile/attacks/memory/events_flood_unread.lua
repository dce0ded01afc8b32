---: quiet
-- A reader that asked once and never again keeps what is sent.
local ecs = require "ecs"
local E = ecs.event("AttackE", { x = ecs.array(ecs.f64(), 4096) })
local asked = false
ecs.system("attack.reader", { run = function(ctx)
  if not asked then asked = true for e in ecs.events(E) do end end
end })
ecs.system("attack", { run = function(ctx)
  for i = 1, 1000 do ecs.emit(E) end
end })
