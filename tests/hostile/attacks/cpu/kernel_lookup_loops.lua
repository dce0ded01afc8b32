local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0), next = ecs.entity() })
ecs.on_start(function()
  local es = ecs.spawn_many(50000, A)
  for i = 1, #es do ecs.set(es[i], A { next = es[i % #es + 1] }) end
end)
ecs.system "attack" { query = { A }, each = function(e, a)
  local n = a.next
  for i = 1, 100000 do local b = ecs.get(n, A) if b then n = b.next a.x = a.x + 1 end end
end }
