local ecs = require "ecs"
local A = ecs.component("A" .. NAME, { x = ecs.array(ecs.f64(), 4000) })
ecs.on_start(function() ecs.spawn_many(500, A) end)
for i = 1, 150 do
ecs.system ("attack" .. i .. NAME) { query = { A }, batch = function(b)
  local co = coroutine.wrap(function() local w = b:write(A, "x") end)
  co()
end }
end
