local ecs = require "ecs"
local kept = {}
local function deep(n) if n == 0 then coroutine.yield() return 0 end local a, b, c, d, e, f, g, h = n, n, n, n, n, n, n, n return 1 + deep(n - 1) end
ecs.system("attack", { run = function()
  for i = 1, 2000 do
    local co = coroutine.create(deep)
    coroutine.resume(co, 190)
    kept[#kept + 1] = co
  end
end })
