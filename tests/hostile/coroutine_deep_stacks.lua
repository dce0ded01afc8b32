-- Coroutines: many that are kept, each with a deep stack that waits.
---! place "(Limits."
local ecs = require "ecs"

local function deep(n, a, b, c, d)
  if n == 0 then return coroutine.yield() end
  return 1 + deep(n - 1, a, b, c, d)
end

ecs.system "hostile" {
  run = function()
    local kept = {}
    while true do
      local co = coroutine.create(deep)
      coroutine.resume(co, 150, 1, 2, 3, 4)
      kept[#kept + 1] = co
    end
  end,
}
