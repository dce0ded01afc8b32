---: load
---: quiet
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.system("attack", { query = { A }, each = function(e, a)
  for i = 1, 3 do
    @@800{if a.x > i then a.x = 1 goto continue end @@
    ::continue::
  end
end })
