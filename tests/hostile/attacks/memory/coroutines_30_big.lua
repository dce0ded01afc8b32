-- Suspended coroutines with 200,000 tables each, in one tick.
local ecs = require "ecs"
local kept = {}
for i = 1, 60 do
  ecs.system("attack" .. i, { run = function()
    local co = coroutine.create(function()
      local t = {}
      for k = 1, 200000 do t[k] = {} end
      coroutine.yield()
      return t
    end)
    coroutine.resume(co)
    kept[#kept + 1] = co
  end })
end
