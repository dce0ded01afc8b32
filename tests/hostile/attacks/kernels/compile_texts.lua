---: load
---: quiet
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.enum("a", "b") })
ecs.system("attack", { query = { A }, each = function(e, a)
  local s = "a"
  @@2000{if a.x == s then s = "b" else s = "a" end @@
  a.x = s
end })
