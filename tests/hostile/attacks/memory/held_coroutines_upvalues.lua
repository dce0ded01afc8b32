local ecs = require "ecs"
local kept = {}
for i = 1, 30 do
  ecs.system("attack" .. i, { run = function()
    local big = ("x"):rep(16000000) .. i
    local co = coroutine.create(function() coroutine.yield() return big end)
    coroutine.resume(co)
    kept[#kept + 1] = co
  end })
end
