---: load
---: quiet
local ecs = require "ecs"
local A, B = ecs.component("AttackA", { x = ecs.f64(0) }), ecs.component("AttackB", { x = ecs.f64(0) })
ecs.system("attack", { query = { A }, each = function(e, a)
  if @@120{(ecs.has(e, B) and a.x > 1 or @@ true @@120{)@@ then a.x = 1 end
end })
