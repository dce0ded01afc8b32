---: load
---: quiet
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.system("attack", { query = { A }, each = function(e, a)
  @@90{for i = 1, 2 do a.x = a.x + i @@ @@90{end @@
end })
