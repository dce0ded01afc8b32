local ecs = require "ecs"
ecs.system "attack" { run = function()
  while true do coroutine.resume(coroutine.create(function() coroutine.yield() end)) end
end }
