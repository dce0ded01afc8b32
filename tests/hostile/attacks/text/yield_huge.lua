local ecs = require "ecs"
ecs.system "attack" { run = function()
  local s = ("x"):rep(16000000)
  local co = coroutine.wrap(function() while true do coroutine.yield(s .. "1") end end)
  for i = 1, 1e6 do co() end
end }
