local ecs = require "ecs"
ecs.system "attack" { run = function()
  local m = {}
  local kept = {}
  m.__lt = function(a, b)
    local co = coroutine.create(function() local big = ("x"):rep(1000000) .. #kept; coroutine.yield(big); return big end)
    coroutine.resume(co); kept[#kept + 1] = co
    return #kept % 2 == 0
  end
  m.__le = m.__lt
  local a, b = setmetatable({}, m), setmetatable({}, m)
  for i = 1, 1e6 do local x = a < b; local y = a <= b end
end }
