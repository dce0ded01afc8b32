-- Other rows fail in each tick, each with a long text of its own: what is kept of them
-- are many texts.
local ecs = require "ecs"
local A = ecs.component("AttackA", { x = ecs.f64(0) })
ecs.on_start(function() ecs.spawn_many(20000, A) end)
for k = 1, 100 do
  ecs.system("attack" .. k, { query = { A }, kernel = "off", each = function(e, a, ctx)
    if (e + ctx.tick * 7) % 700 == k then error(("x"):rep(20000 + k) .. e .. ctx.tick) end
  end })
end
---: names "attack"
---: ticks 40
---: peak 700
