local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("x"):rep(16000000)
  for i = 1, 1e6 do pcall(coroutine.resume, s) pcall(coroutine.wrap, s) pcall(coroutine.status, s) end
end }
