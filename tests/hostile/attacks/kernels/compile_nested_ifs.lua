---: load
---: quiet
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.system("attack", { query = { A }, each = function(e, a)
  @@100{if a.x > 2 then a.x = a.x + 1 @@ @@100{end @@
end })
