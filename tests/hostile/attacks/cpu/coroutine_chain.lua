local ecs = require "ecs"
ecs.system "attack" { run = function()
  local function make(n) if n == 0 then return function() while true do coroutine.yield() end end end
    local inner = coroutine.wrap(make(n - 1))
    return function() while true do inner() coroutine.yield() end end end
  local co = coroutine.wrap(make(140))
  while true do co() end
end }
