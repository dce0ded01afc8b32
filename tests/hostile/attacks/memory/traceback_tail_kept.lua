---: quiet
local ecs = require "ecs"
local kept = {}
local function f(n) if n == 0 then coroutine.yield() end return f(n - 1) end
ecs.system("attack", { run = function(ctx)
  for i = 1, 20 do
    local co = coroutine.create(f)
    coroutine.resume(co, 300000)
    kept[#kept + 1] = co
  end
end })
