-- Each run writes all columns of large components: what it keeps to take that back.
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
local B = ecs.component("AttackB", { n = ecs.f64(), x = ecs.array(ecs.f64(), 4095) })
local made = 0
ecs.system("attack.spawn", { run = function()
  if made >= 12000 then return end
  for i = 1, 1500 do ecs.spawn(A, B) end
  made = made + 1500
end })
ecs.system("attack.each", { query = { B }, kernel = "off", each = function(e, b) b.n = b.n + 1 end })
ecs.system("attack.batch", { query = { A, B }, batch = function(b) b:col(B, "n"):add(1) end })
ecs.system("attack.kernel", { query = { B }, each = function(e, b) b.n = b.n + e % 3 end })
---: ticks 12
---: peak 1500
