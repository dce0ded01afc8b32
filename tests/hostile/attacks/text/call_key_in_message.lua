local ecs = require "ecs"
ecs.system "attack" { run = function()
  local k, t = ("k"):rep(16777000), {}
  for i = 1, 1e5 do pcall(function() t[k]() end) end
end }
