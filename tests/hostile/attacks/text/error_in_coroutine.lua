local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("x"):rep(16000000)
  for i = 1, 1e6 do coroutine.resume(coroutine.create(function() error(s) end)) end
end }
