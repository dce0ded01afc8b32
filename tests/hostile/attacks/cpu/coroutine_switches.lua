local ecs = require "ecs"
ecs.system "attack" { run = function()
  local co = coroutine.wrap(function() while true do coroutine.yield() end end)
  while true do co() end
end }
