local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.array(ecs.f64(), 4096) })
ecs.on_start(function() ecs.spawn_many(2000, A) end)
for i = 1, 50 do
  ecs.system("attack" .. i, { query = { A }, batch = function(b)
    local x = b:write(A, "x")
  end })
end
---: quiet
