local ecs = require "ecs"
local C = ecs.component("AttackC", { x = ecs.array(ecs.f64(), 4096) })
ecs.on_start(function() ecs.spawn_many(3000, C) end)
for j = 1, 20 do
  ecs.system("attack" .. j, { query = { C }, batch = function(b)
    local x, y = b:read(C, "x"), b:write(C, "x")
    for i = 1, b.n do y[i] = x[b.n - i + 1] end
  end })
end
