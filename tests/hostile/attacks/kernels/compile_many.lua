-- Functions of thousands of lines, all to be compiled.
---: load
---: quiet
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.system("attack", { query = { A }, each = function(e, a)
  @@3000{a.x = math.max(a.x * 1.5 + 2, math.min(a.x, 3)) if a.x > 2 then a.x = a.x - 1 end @@
end })
