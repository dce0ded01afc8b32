-- Coroutines: each makes and runs two others before it ends.
---! place "(Limits."
local ecs = require "ecs"

local function tree(depth)
  for _ = 1, 2 do
    local co = coroutine.create(tree)
    coroutine.resume(co, depth + 1)
  end
  coroutine.yield(depth)
end

ecs.system "hostile" {
  run = function()
    while true do coroutine.resume(coroutine.create(tree), 1) end
  end,
}
