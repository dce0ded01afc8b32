local ecs = require "ecs"
local kept = {}
ecs.system("attack", { run = function()
  for i = 1, 9999 do
    local g = coroutine.wrap(function(...) local a = { ... } coroutine.yield(a) return a end)
    g(("x"):rep(20000) .. i)
    kept[#kept + 1] = g
  end
end })
