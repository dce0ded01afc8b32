---: ticks 40
local ecs = require "ecs"
local kept = {}
ecs.system("attack", { run = function()
  for i = 1, 20 do
    local co = coroutine.create(function()
      local t = {}
      for k = 1, 10000 do t[k] = { k } end
      coroutine.yield()
      return t
    end)
    coroutine.resume(co)
    kept[#kept + 1] = co
  end
end })
