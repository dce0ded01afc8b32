local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0), y = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(190000, A) end)
ecs.system "attack" { query = { A }, batch = function(b)
  while true do b:read(A, "x") b:write(A, "y") end
end }
